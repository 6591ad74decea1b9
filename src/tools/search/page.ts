import type { FoundFile } from "./query.ts";

/** More matches than this are not counted. */
const maxCounted = 20_000;

export interface PagedLine {
  path: string;
  line: number;
  text: string;
  isMatch: boolean;
}

/** Gathers one page of the matches and counts all of them. */
export interface Page {
  /** @returns false when there is no point in going on */
  add(file: FoundFile): boolean;
  /** matching lines in all files */
  total(): number;
  /** true when counting stopped early */
  isCapped(): boolean;
  /** the page's matching lines with the lines around them */
  lines(): PagedLine[];
  /** matching lines by file, in order */
  counts(): { path: string; count: number }[];
}

export function createPage(range: { offset: number; limit: number; contextLines: number }): Page {
  const shown: PagedLine[] = [];
  const counts: { path: string; count: number }[] = [];
  let total = 0;
  return {
    add(file) {
      const matches = file.lines.filter((line) => line.isMatch);
      const wanted = matches.slice(Math.max(0, range.offset - total), Math.max(0, range.offset + range.limit - total));
      const near = (line: number): boolean => wanted.some((match) => Math.abs(match.line - line) <= range.contextLines);
      const inPage = new Set(wanted.map((match) => match.line));
      for (const line of wanted.length === 0 ? [] : file.lines) {
        if (inPage.has(line.line) || (!line.isMatch && near(line.line))) shown.push({ path: file.path, ...line });
      }
      counts.push({ path: file.path, count: matches.length });
      total += matches.length;
      return total < maxCounted;
    },
    total: () => total,
    isCapped: () => total >= maxCounted,
    lines: () => shown,
    counts: () => counts,
  };
}
