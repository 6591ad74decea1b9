import { similarity } from "../similarity.ts";
import { findLineRuns, lineSpan, type LineText, patternLines, type Span } from "./line-text.ts";
import { findMapped, rewrite } from "./mapped-text.ts";

/** One way to find a text; spans do not overlap and are in order. */
export interface Strategy {
  name: string;
  find(content: LineText, wanted: string): Span[];
  /** the match may be indented otherwise than what was asked for: a replacement follows it */
  isLineBased: boolean;
}

/** The order in which they are tried. */
export const strategies: Strategy[] = [
  { name: "exact", find: findExact, isLineBased: false },
  { name: "line_trimmed", find: findLineTrimmed, isLineBased: true },
  { name: "whitespace_normalized", find: findWhitespaceNormalized, isLineBased: false },
  { name: "indentation_flexible", find: findIndentationFlexible, isLineBased: true },
  { name: "escape_normalized", find: findEscapeNormalized, isLineBased: false },
  { name: "trimmed_boundary", find: findTrimmedBoundary, isLineBased: true },
  { name: "unicode_normalized", find: findUnicodeNormalized, isLineBased: false },
  { name: "block_anchor", find: findBlockAnchor, isLineBased: true },
  { name: "context_aware", find: findContextAware, isLineBased: true },
];

/** The text as it is written. */
export function findExact(content: LineText, wanted: string): Span[] {
  return findPlain(content.text, wanted);
}

/** Lines equal but for blanks around them. */
export function findLineTrimmed(content: LineText, wanted: string): Span[] {
  return findLineRuns(content, patternLines(wanted), (line, other) => line.trim() === other.trim());
}

/** Runs of blanks and tabs count as one blank. */
export function findWhitespaceNormalized(content: LineText, wanted: string): Span[] {
  const oneBlank = (text: string) => rewrite(text, /[ \t]+/g, () => " ");
  return findMapped(oneBlank(content.text), oneBlank(wanted).text);
}

/** Lines equal but for their indentation. */
export function findIndentationFlexible(content: LineText, wanted: string): Span[] {
  return findLineRuns(content, patternLines(wanted), (line, other) => line.trimStart() === other.trimStart());
}

/** Escapes written out in what is looked for: \n, \t and \r. */
export function findEscapeNormalized(content: LineText, wanted: string): Span[] {
  const plain = wanted.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\r", "\r");
  return plain === wanted ? [] : findPlain(content.text, plain);
}

/** Only the first and the last line may have other blanks around them. */
export function findTrimmedBoundary(content: LineText, wanted: string): Span[] {
  const pattern = patternLines(wanted);
  return findLineRuns(content, pattern, (line, other, index) =>
    index === 0 || index === pattern.length - 1 ? line.trim() === other.trim() : line === other,
  );
}

/** Typographic quotes, dashes, dots and blanks count as their ASCII spelling. */
export function findUnicodeNormalized(content: LineText, wanted: string): Span[] {
  return findMapped(toAscii(content.text), toAscii(wanted).text);
}

const anchorMinOne = 0.5;
const anchorMinSeveral = 0.7;

/** First and last line equal, what is between them similar. */
export function findBlockAnchor(content: LineText, wanted: string): Span[] {
  const pattern = patternLines(wanted);
  if (pattern.length < 2) return [];
  const key = (line: string): string => toAscii(line).text.trim();
  const first = key(pattern[0] ?? "");
  const last = key(pattern.at(-1) ?? "");
  if (first === "" && last === "") return [];
  const keys = content.lines.map(key);
  const candidates: number[] = [];
  for (let start = 0; start + pattern.length <= keys.length; start += 1) {
    if (keys[start] === first && keys[start + pattern.length - 1] === last) candidates.push(start);
  }
  const minimum = candidates.length > 1 ? anchorMinSeveral : anchorMinOne;
  const middle = pattern.slice(1, -1).join("\n");
  const alike = candidates.filter((start) => {
    const lines = content.lines.slice(start + 1, start + pattern.length - 1);
    return pattern.length === 2 || boundedSimilarity(lines.join("\n"), middle) >= minimum;
  });
  return withoutOverlaps(alike.map((start) => lineSpan(content, start, pattern.length)));
}

const lineMinSimilarity = 0.8;
const minSimilarLines = 0.5;
const maxComparedLines = 20_000;

/** At least half of the lines are very similar. */
export function findContextAware(content: LineText, wanted: string): Span[] {
  const pattern = patternLines(wanted).map((line) => line.trim());
  // comparing every line with every other is for files a person would read
  if (content.lines.length * pattern.length > maxComparedLines * 10) return [];
  const trimmed = content.lines.map((line) => line.trim());
  const spans: Span[] = [];
  for (let start = 0; start + pattern.length <= trimmed.length; start += 1) {
    const similar = pattern.filter((line, index) => isSimilarLine(trimmed[start + index] ?? "", line)).length;
    if (similar >= pattern.length * minSimilarLines) spans.push(lineSpan(content, start, pattern.length));
  }
  return withoutOverlaps(spans);
}

function isSimilarLine(left: string, right: string): boolean {
  if (left === right) return true;
  // lengths that differ much cannot reach the ratio
  const shorter = Math.min(left.length, right.length);
  if ((2 * shorter) / (left.length + right.length) < lineMinSimilarity) return false;
  return boundedSimilarity(left, right) >= lineMinSimilarity;
}

const maxComparedChars = 4000;

function boundedSimilarity(left: string, right: string): number {
  return similarity(left.slice(0, maxComparedChars), right.slice(0, maxComparedChars));
}

const asciiSpellings: Record<string, string> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u2014": "--",
  "\u2013": "-",
  "\u2026": "...",
  "\u00a0": " ",
};

function toAscii(text: string) {
  return rewrite(
    text,
    /[\u2018\u2019\u201c\u201d\u2014\u2013\u2026\u00a0]/g,
    (match) => asciiSpellings[match] ?? match,
  );
}

function findPlain(text: string, wanted: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    spans.push({ start: at, end: at + wanted.length });
  }
  return spans;
}

function withoutOverlaps(spans: Span[]): Span[] {
  let end = -1;
  return spans.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}
