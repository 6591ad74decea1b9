/** One assignment of an .env file. `start` and `end` enclose the whole assignment without its line end. */
interface Assignment {
  name: string;
  value: string;
  start: number;
  end: number;
  exported: boolean;
}

export interface EnvFile {
  /** the last assignment of a name counts */
  values: Map<string, string>;
  /** lines that are neither a comment nor an assignment, from 1 */
  strangeLines: number[];
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isEnvName(name: string): boolean {
  return namePattern.test(name);
}

/** Parses `NAME=value` lines: `export`, quotes over several lines, comments, CRLF and a byte-order mark are understood. */
export function parseEnvFile(text: string): EnvFile {
  const { assignments, strangeLines } = scan(text);
  return { values: new Map(assignments.map(({ name, value }) => [name, value])), strangeLines };
}

/**
 * The text with one name set: its last assignment is replaced, else a line is added at the end.
 * Everything else stays byte for byte.
 * @param value line ends in it are dropped; "" keeps the name with nothing behind it
 */
export function setInEnvFile(text: string, name: string, value: string): string {
  const { assignments } = scan(text);
  const line = `${name}=${toEnvValue(value.replace(/[\r\n\0]/g, ""))}`;
  const last = assignments.findLast((entry) => entry.name === name);
  if (last !== undefined) {
    return text.slice(0, last.start) + (last.exported ? "export " : "") + line + text.slice(last.end);
  }
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : lineEnd;
  return `${text}${gap}${line}${lineEnd}`;
}

/** The text without any assignment of a name, and how many there were. */
export function removeFromEnvFile(text: string, name: string): { text: string; removed: number } {
  const found = scan(text).assignments.filter((entry) => entry.name === name);
  const rest = found
    .toReversed()
    .reduce((left, { start, end }) => left.slice(0, start) + left.slice(nextLine(left, end)), text);
  return { text: rest, removed: found.length };
}

function toEnvValue(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,=~?&*!^-]*$/.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

function scan(text: string): { assignments: Assignment[]; strangeLines: number[] } {
  const assignments: Assignment[] = [];
  const strangeLines: number[] = [];
  let position = text.startsWith("\uFEFF") ? 1 : 0;
  while (position < text.length) {
    const found = readAssignment(text, position);
    const end = found?.end ?? lineEndAt(text, position);
    if (found !== undefined) assignments.push(found);
    else if (!/^\s*(?:#.*)?$/.test(text.slice(position, end))) strangeLines.push(lineNumberAt(text, position));
    position = nextLine(text, end);
  }
  return { assignments, strangeLines };
}

function readAssignment(text: string, start: number): Assignment | undefined {
  const lineEnd = lineEndAt(text, start);
  const head = /^[ \t]*(export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/.exec(text.slice(start, lineEnd));
  if (head === null) return undefined;
  const valueStart = start + head[0].length;
  const common = { name: head[2] ?? "", start, exported: head[1] !== undefined };
  const quoted = readQuoted(text, valueStart);
  if (quoted !== undefined) return { ...common, ...quoted };
  const bare = text.slice(valueStart, lineEnd).replace(/(?:^|[ \t]+)#.*$/, "");
  return { ...common, value: bare.trim().replaceAll("\0", ""), end: lineEnd };
}

/** A quoted value, which may run over lines. An open quote that would swallow other assignments is no quote. */
function readQuoted(text: string, start: number): { value: string; end: number } | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  const body =
    quote === '"'
      ? /"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?:#[^\r\n]*)?(?=\r?\n|$)/y
      : /'([^']*)'[ \t]*(?:#[^\r\n]*)?(?=\r?\n|$)/y;
  body.lastIndex = start;
  const match = body.exec(text);
  if (match === null) return undefined;
  const inner = match[1] ?? "";
  if (/\n[ \t]*(?:export[ \t]+)?[A-Z_][A-Z0-9_]*=[^=\s]/.test(inner)) return undefined;
  return { value: quote === '"' ? unescapeValue(inner) : inner, end: start + match[0].length };
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };

function unescapeValue(inner: string): string {
  return inner.replace(/\\([\s\S])/g, (whole, character: string) => escapes[character] ?? whole);
}

function lineEndAt(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  if (newline === -1) return text.length;
  return newline > from && text.charAt(newline - 1) === "\r" ? newline - 1 : newline;
}

function nextLine(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline === -1 ? text.length : newline + 1;
}

function lineNumberAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
