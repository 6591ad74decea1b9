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
 * Where held values occur: plain, reversed, hex, URL-encoded, JSON-escaped, and base64 at any alignment.
 * Sorted, overlaps joined. Linear in the text, whatever the number of secrets.
 */
export function findHeldSecrets(text: string): HeldMatch[] {
  const matches: HeldMatch[] = [];
  if (held.size === 0) return matches;
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
  const before = text.slice(0, position);
  return formIndex().divisible.some((form) => {
    for (let length = Math.min(form.length - 1, position); length > 0; length -= 1) {
      if (before.endsWith(form.slice(0, length))) return true;
    }
    return false;
  });
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
  index = { pairs, byPair, divisible: [...forms].filter((form) => /[^\u0021-\u007e]/.test(form)) };
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
