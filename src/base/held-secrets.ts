/** A value that must never leave, by the name of the variable or setting it came from. */
export interface HeldSecret {
  name: string;
  value: string;
}

/** Where a held value stands in a text; `end` is exclusive. */
export interface HeldMatch {
  start: number;
  end: number;
}

/** shorter values occur in ordinary text by chance */
const minimumLength = 8;

const held = new Map<string, HeldSecret>();
let index: FormIndex | undefined;

/** all spellings of all held values, found by their first two characters */
interface FormIndex {
  pairs: Uint8Array;
  byPair: Map<number, string[]>;
  /** spellings with white space or characters outside ASCII, inside which a stream could otherwise be cut */
  divisible: string[];
  /** spellings that tools write over several lines */
  wrappable: string[];
  /** UTF-16 units of the longest spelling */
  longest: number;
}

/** Remembers a secret for the life of the process. Blank values and values under 8 characters are ignored. */
export function holdSecret(value: string, name = "secret"): void {
  const trimmed = value.trim();
  if (trimmed.length < minimumLength || held.has(trimmed)) return;
  held.set(trimmed, { name, value: trimmed });
  index = undefined;
}

/** Every held secret, in the order it was given. */
export function heldSecrets(): readonly HeldSecret[] {
  return [...held.values()];
}

/** Forgets every held secret. */
export function forgetSecrets(): void {
  held.clear();
  index = undefined;
}

/**
 * Where held values occur: plain, reversed, hex, URL-encoded, JSON-escaped, and base64 at any alignment,
 * also broken over lines. Sorted, overlaps joined. Linear in the text, whatever the number of secrets.
 */
export function findHeldSecrets(text: string): HeldMatch[] {
  if (held.size === 0) return [];
  const whole = findForms(text);
  const wrapped = findWrapped(text);
  if (wrapped.length === 0) return whole;
  const matches: HeldMatch[] = [];
  for (const match of [...whole, ...wrapped].sort((left, right) => left.start - right.start)) addMatch(matches, match);
  return matches;
}

/** lines that are one word each, like the output of `base64` and `xxd -p`, with what stands on the line before them */
const wrappedWords = /[\w+/=.-]+(?:[ \t]*\r?\n[ \t]*[\w+/=.-]+)+/g;

function findWrapped(text: string): HeldMatch[] {
  const matches: HeldMatch[] = [];
  if (!text.includes("\n")) return matches;
  for (const { 0: run, index: start } of text.matchAll(wrappedWords)) {
    const joined = run.replace(/\s+/g, "");
    const found = findForms(joined);
    if (found.length === 0) continue;
    const positions = Array.from(run.matchAll(/\S/g), (character) => start + character.index);
    for (const match of found) {
      const last = positions[match.end - 1];
      const first = positions[match.start];
      if (first !== undefined && last !== undefined) matches.push({ start: first, end: last + 1 });
    }
  }
  return matches;
}

function findForms(text: string): HeldMatch[] {
  const matches: HeldMatch[] = [];
  const { pairs, byPair } = formIndex();
  let previous = text.charCodeAt(0);
  for (let position = 0; position + 1 < text.length; position += 1) {
    const next = text.charCodeAt(position + 1);
    const pair = pairOf(previous, next);
    previous = next;
    if (pairs[pair] !== 1) continue;
    const form = byPair.get(pair)?.find((candidate) => text.startsWith(candidate, position));
    if (form !== undefined) addMatch(matches, { start: position, end: position + form.length });
  }
  return matches;
}

/** True when a held value may stand on both sides of `position`. */
export function heldSecretSpans(text: string, position: number): boolean {
  if (held.size === 0) return false;
  const { divisible, wrappable, longest } = formIndex();
  const before = text.slice(0, position);
  const joined = before.slice(-2 * longest).replace(/\s+/g, "");
  if (wrappable.some((form) => beginsAtEnd(joined, form))) return true;
  return divisible.some((form) => {
    for (let length = Math.min(form.length - 1, position); length > 0; length -= 1) {
      if (before.endsWith(form.slice(0, length))) return true;
    }
    return false;
  });
}

/** fewer characters at the end of a line say nothing */
const telling = 4;

/** True when a text ends in the beginning of a spelling. */
function beginsAtEnd(text: string, form: string): boolean {
  const ending = text.slice(-telling);
  if (ending.length < telling) return false;
  for (let at = form.indexOf(ending); at !== -1; at = form.indexOf(ending, at + 1)) {
    const end = at + telling;
    if (end < form.length && text.endsWith(form.slice(0, end))) return true;
  }
  return false;
}

function addMatch(matches: HeldMatch[], match: HeldMatch): void {
  const last = matches.at(-1);
  if (last !== undefined && match.start < last.end) last.end = Math.max(last.end, match.end);
  else matches.push(match);
}

const pairOf = (first: number, second: number): number => ((first & 0xff) << 8) | (second & 0xff);

function formIndex(): FormIndex {
  if (index !== undefined) return index;
  const forms = new Set([...held.keys()].flatMap(formsOf));
  const byPair = new Map<number, string[]>();
  const pairs = new Uint8Array(0x10000);
  // longest first, so that a value that begins with another one is covered whole
  for (const form of [...forms].sort((left, right) => right.length - left.length)) {
    const pair = pairOf(form.charCodeAt(0), form.charCodeAt(1));
    pairs[pair] = 1;
    byPair.set(pair, [...(byPair.get(pair) ?? []), form]);
  }
  index = {
    pairs,
    byPair,
    divisible: [...forms].filter((form) => /[^\u0021-\u007e]/.test(form)),
    wrappable: [...forms].filter((form) => /^[\w+/=.-]+$/.test(form)),
    longest: Math.max(0, ...[...forms].map((form) => form.length)),
  };
  return index;
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const hex = bytes.toString("hex");
  const encoded = encodeURIComponent(value.toWellFormed());
  return [
    value,
    [...value].toReversed().join(""),
    hex,
    hex.toUpperCase(),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
  ];
}

/** The characters that depend on the value alone, for each of the three ways it can lie in a base64 text. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const core = padded.toString("base64").slice(first, last);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
