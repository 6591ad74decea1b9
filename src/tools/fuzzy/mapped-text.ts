import type { Span } from "./line-text.ts";

/** A rewritten text that remembers where each of its characters came from. */
export interface MappedText {
  text: string;
  /** for each character of `text` and for its end: the position in the original */
  origins: number[];
}

/** Applies a rewriting piece by piece; what the pattern does not match stays. */
export function rewrite(text: string, pattern: RegExp, replace: (match: string) => string): MappedText {
  let result = "";
  const origins: number[] = [];
  let position = 0;
  const copy = (end: number): void => {
    for (let index = position; index < end; index += 1) origins.push(index);
    result += text.slice(position, end);
  };
  for (const match of text.matchAll(pattern)) {
    copy(match.index);
    const replacement = replace(match[0]);
    for (let index = 0; index < replacement.length; index += 1) origins.push(match.index);
    result += replacement;
    position = match.index + match[0].length;
  }
  copy(text.length);
  origins.push(text.length);
  return { text: result, origins };
}

/** Every place of `wanted` in the rewritten text, as spans of the original that hold whole original characters. */
export function findMapped(mapped: MappedText, wanted: string): Span[] {
  if (wanted === "") return [];
  const spans: Span[] = [];
  for (let at = mapped.text.indexOf(wanted); at !== -1; at = mapped.text.indexOf(wanted, at + wanted.length)) {
    const start = mapped.origins[at];
    const end = mapped.origins[at + wanted.length];
    if (start === undefined || end === undefined) continue;
    // a match that ends inside one rewritten character would cut it
    const isWhole = mapped.origins[at - 1] !== start && mapped.origins[at + wanted.length - 1] !== end;
    if (isWhole) spans.push({ start, end });
  }
  return spans;
}
