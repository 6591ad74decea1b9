/** words that one word may become; more are not looked at */
const maximumWords = 128;
const maximumText = 2000;
const maximumNesting = 20;

/** What bash makes of `a{b,c}d` and `{1..3}` in an unquoted word; undefined when it is too much to be listed. */
export function expandBraces(text: string): string[] | undefined {
  return text.length > maximumText ? undefined : expand(text, 0);
}

function expand(text: string, nesting: number): string[] | undefined {
  if (nesting > maximumNesting) return undefined;
  let prefixes = [""];
  let start = 0;
  while (start < text.length) {
    const group = findGroup(text, start);
    if (group === undefined) break;
    const choices = choicesOf(group.items, nesting);
    if (choices === undefined || prefixes.length * choices.length > maximumWords) return undefined;
    const plain = text.slice(start, group.open);
    prefixes = prefixes.flatMap((prefix) => choices.map((choice) => prefix + plain + choice));
    start = group.close + 1;
  }
  return prefixes.map((prefix) => prefix + text.slice(start));
}

function choicesOf(items: string[], nesting: number): string[] | undefined {
  if (items.length === 1) return sequence(items[0] ?? "");
  const choices: string[] = [];
  for (const item of items) {
    const words = expand(item, nesting + 1);
    if (words === undefined || choices.length + words.length > maximumWords) return undefined;
    choices.push(...words);
  }
  return choices;
}

const range = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-zA-Z])\.\.([a-zA-Z]))(?:\.\.(-?\d{1,9}))?$/;

function sequence(text: string): string[] | undefined {
  const match = range.exec(text);
  if (match === null) return undefined;
  const isLetters = match[3] !== undefined;
  const from = isLetters ? (match[3]?.charCodeAt(0) ?? 0) : Number(match[1]);
  const to = isLetters ? (match[4]?.charCodeAt(0) ?? 0) : Number(match[2]);
  const step = Math.max(1, Math.abs(Number(match[5] ?? 1)));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > maximumWords) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const value = from + Math.sign(to - from) * step * index;
    return isLetters ? String.fromCharCode(value) : String(value);
  });
}

interface Group {
  open: number;
  close: number;
  items: string[];
}

/** The next `{…}` that bash expands: with a comma of its own, or a sequence. */
function findGroup(text: string, start: number): Group | undefined {
  for (let open = nextUnquoted(text, start, "{"); open >= 0; open = nextUnquoted(text, open + 1, "{")) {
    if (text[open - 1] === "$") continue;
    const group = readGroup(text, open);
    if (group !== undefined && (group.items.length > 1 || range.test(group.items[0] ?? ""))) return group;
  }
  return undefined;
}

function readGroup(text: string, open: number): Group | undefined {
  const items: string[] = [];
  let depth = 0;
  let itemStart = open + 1;
  for (let index = open; index < text.length; index = skipQuoted(text, index) + 1) {
    const character = text[index];
    if (character === "{") depth += 1;
    else if (character === "," && depth === 1) {
      items.push(text.slice(itemStart, index));
      itemStart = index + 1;
    } else if (character === "}") {
      depth -= 1;
      if (depth === 0) return { open, close: index, items: [...items, text.slice(itemStart, index)] };
    }
  }
  return undefined;
}

function nextUnquoted(text: string, start: number, wanted: string): number {
  for (let index = start; index < text.length; index = skipQuoted(text, index) + 1)
    if (text[index] === wanted) return index;
  return -1;
}

/** The last position of what starts here: a quoted part, an escaped character, or the character itself. */
function skipQuoted(text: string, index: number): number {
  const character = text[index];
  if (character === "\\") return index + 1;
  if (character !== "'" && character !== '"') return index;
  for (let end = index + 1; end < text.length; end += 1) {
    if (character === '"' && text[end] === "\\") end += 1;
    else if (text[end] === character) return end;
  }
  return text.length;
}
