/** What to look for; paths are absolute. */
export interface SearchQuery {
  /** a regular expression */
  pattern: string;
  /** a directory or one file */
  root: string;
  /** only files whose path matches */
  fileGlob?: string;
  /** lines shown around each match */
  contextLines: number;
}

/** One line of a file; `text` is without its line ending. */
export interface FoundLine {
  line: number;
  text: string;
  isMatch: boolean;
}

/** The matches of one file, in order; `path` is absolute. */
export interface FoundFile {
  path: string;
  lines: FoundLine[];
}

export interface SearchControl {
  signal: AbortSignal;
  /** false for a file that must not be shown */
  mayRead(path: string): boolean;
  /** false ends the search */
  onFile(file: FoundFile): boolean;
}

/** Lines kept of one file; the rest is counted by nobody. */
export const maxLinesPerFile = 20_000;
/** A longer line is cut. */
export const maxLineChars = 4000;
