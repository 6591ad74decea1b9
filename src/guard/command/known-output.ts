import type { Command, Redirection, Script, Word } from "unbash";
import { basename } from "node:path";
import type { Argument } from "./argument.ts";

const longestOutput = 20_000;

/** the words that bash makes of one word */
type Fields = (word: Word) => Argument[];

/** What a command prints, when its own words say it; `input` is what is known of its standard input. */
export function knownOutput(node: Command, input: string | undefined, fields: Fields): string | undefined {
  if (node.name === undefined || node.args.length > 500) return undefined;
  const words = [node.name, ...node.args.filter((argument) => argument.type === "Word")];
  const [program, ...argv] = words.flatMap(fields);
  const output = outputs[basename(program?.value ?? "")]?.(argv, inputText(node.redirects, fields) ?? input);
  return output?.slice(0, longestOutput);
}

/** The text that a here-document or here-string gives, when it is known. */
export function inputText(redirects: readonly Redirection[], fields: Fields): string | undefined {
  const last = redirects.findLast((redirect) => redirect.type !== "Redirect");
  if (last?.type === "HereDoc") return last.body.text;
  if (last?.type !== "HereString" || last.target === undefined) return undefined;
  const values = fields(last.target).map(({ value }) => value);
  return values.some((value) => value === undefined) ? undefined : values.join(" ");
}

/** What a substitution made of one `echo` or `printf` gives. */
export function echoedText(script: Script, fields: Fields): string | undefined {
  const [statement, ...more] = script.commands;
  if (statement?.command.type !== "Command" || more.length > 0) return undefined;
  return knownOutput(statement.command, undefined, fields);
}

type Output = (argv: Argument[], input: string | undefined) => string | undefined;

const echo: Output = (argv) => {
  const start = argv.findIndex(({ value }) => !/^-[neE]+$/.test(value ?? ""));
  const words = start < 0 ? [] : argv.slice(start);
  if (words.some(({ value }) => value === undefined)) return undefined;
  const text = words.map(({ value }) => value).join(" ");
  return argv.slice(0, Math.max(start, 0)).some(({ value }) => value?.includes("e") === true) ? unescape(text) : text;
};

/** The text that `printf` makes of its words; undefined when one of them is not known. */
export const printed = (argv: Argument[]): string | undefined => {
  const [format, ...values] = argv[0]?.value === "--" ? argv.slice(1) : argv;
  if (format?.value === undefined || values.some(({ value }) => value === undefined)) return undefined;
  const pattern = unescape(format.value);
  let result = "";
  let next = 0;
  do {
    const before = next;
    result += pattern.replace(/%(%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])/g, (_, conversion: string) => {
      if (conversion === "%") return "%";
      const value = values[next]?.value ?? "";
      next += 1;
      return conversion.endsWith("b") ? unescape(value) : value;
    });
    if (next === before) break;
  } while (next < values.length && result.length < longestOutput);
  return result;
};

/** programs that hand on what they are given when no file is named */
const passes: Output = (argv, input) =>
  argv.every(({ value }) => value?.startsWith("-") === true) ? input : undefined;

const outputs: Record<string, Output> = {
  echo,
  printf: printed,
  yes: echo,
  cat: passes,
  sort: passes,
  uniq: passes,
  tee: (_argv, input) => input,
};

const controls: Record<string, string> = { n: "\n", t: "\t", "0": "\0", "\\": "\\", r: "\r", e: "\u001b", a: "\u0007" };

function unescape(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{2,3})|(.))/gs,
    (all, hex?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return controls[letter ?? ""] ?? all;
    },
  );
}
