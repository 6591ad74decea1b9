import type { Term } from "./question.ts";

/** Length of a snippet with its marks, in UTF-16 units. */
const MAX_SNIPPET = 240;
const OPEN = ">>>";
const CLOSE = "<<<";

interface Span {
  start: number;
  end: number;
}

/** The part of a text where the most hits stand, on one line, hits marked `>>>hit<<<`. */
export function makeSnippet(text: string, terms: Term[]): string {
  const line = text.replace(/\s+/g, " ").trim();
  const spans = findHits(line, terms);
  const start = windowStart(line, spans);
  let end = start;
  let budget = MAX_SNIPPET - 2;
  let result = start > 0 ? "…" : "";
  for (const span of spans.filter((hit) => hit.start >= start)) {
    const marked = span.end - span.start + OPEN.length + CLOSE.length;
    if (span.start - end + marked > budget) break;
    result += line.slice(end, span.start) + OPEN + line.slice(span.start, span.end) + CLOSE;
    budget -= span.start - end + marked;
    end = span.end;
  }
  const rest = line.slice(end, end + budget);
  return `${result}${rest}${end + rest.length < line.length ? "…" : ""}`.toWellFormed();
}

/** Begins a little before the densest group of hits, at a word. */
function windowStart(line: string, spans: Span[]): number {
  if (line.length <= MAX_SNIPPET || spans.length === 0) return 0;
  const width = MAX_SNIPPET - 80;
  let best = 0;
  let bestCount = 0;
  for (const [index, span] of spans.entries()) {
    const inside = spans.slice(index, index + 12).filter((other) => other.end <= span.start + width).length;
    if (inside > bestCount) {
      best = span.start;
      bestCount = inside;
    }
  }
  const wanted = Math.max(0, best - 40);
  const blank = line.indexOf(" ", wanted);
  return wanted > 0 && blank !== -1 && blank < best ? blank + 1 : wanted;
}

function findHits(line: string, terms: Term[]): Span[] {
  const folded = fold(line);
  // folding that changes the length would move the marks
  const haystack = folded.length === line.length ? folded : line.toLowerCase();
  if (haystack.length !== line.length) return [];
  const stems = new Set<string>();
  const prefixes: string[] = [];
  const runs: string[] = [];
  for (const term of terms) {
    for (const word of term.words) {
      if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u.test(word)) runs.push(word);
      else if (term.match.endsWith("*")) prefixes.push(fold(word));
      else stems.add(roughStem(fold(word)));
    }
  }
  const spans: Span[] = [];
  for (const match of haystack.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const word = match[0];
    if (stems.has(roughStem(word)) || prefixes.some((prefix) => word.startsWith(prefix))) {
      spans.push({ start: match.index, end: match.index + word.length });
    }
  }
  for (const run of runs) {
    for (let at = haystack.indexOf(run); at !== -1; at = haystack.indexOf(run, at + 1)) {
      spans.push({ start: at, end: at + run.length });
    }
  }
  return joinSpans(spans);
}

function joinSpans(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.sort((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else joined.push({ ...span });
  }
  return joined;
}

function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
}

/** Close enough to the index's stemmer to mark the words it has found. */
function roughStem(word: string): string {
  if (word.length <= 3) return word;
  const stem = word.replace(/(?:ations?|ings?|ions?|ments?|edly|ied|ies|ed|es|ers?|ly|s|e|y)$/, "");
  if (stem.length < 3) return word;
  return stem.replace(/([^aeiou])\1$/, "$1");
}
