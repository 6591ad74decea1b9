import type { Argument } from "./argument.ts";

/** True when a word is this long option, abbreviated or with `=value`; GNU tools accept any unique beginning. */
export function isLong(argument: Argument, name: string): boolean {
  const value = argument.value;
  if (value === undefined || !value.startsWith("--") || value.length < 3) return false;
  return name.startsWith(value.slice(2).split("=", 1)[0] ?? "");
}

/** True when a word is a cluster of short options that contains one of these letters. */
export function hasShort(argument: Argument, letters: string): boolean {
  const value = argument.value;
  if (value === undefined || !/^-[A-Za-z0-9]/.test(value)) return false;
  return [...letters].some((letter) => value.slice(1).includes(letter));
}

export const isOption = (argument: Argument): boolean =>
  argument.value?.startsWith("-") === true && argument.value !== "-";

/** The words that are no options; everything after `--` is one of them. */
export function operands(argv: Argument[]): Argument[] {
  const end = argv.findIndex((argument) => argument.value === "--");
  const before = end < 0 ? argv : argv.slice(0, end);
  const after = end < 0 ? [] : argv.slice(end + 1);
  return [...before.filter((argument) => !isOption(argument)), ...after];
}

/** The words before `--`, where options may stand. */
export function optionWords(argv: Argument[]): Argument[] {
  const end = argv.findIndex((argument) => argument.value === "--");
  return (end < 0 ? argv : argv.slice(0, end)).filter(isOption);
}

/** The value of an option written as `-t X`, `-tX`, `--name X` or `--name=X`; undefined when it is not there. */
export function optionValue(argv: Argument[], short: string, long: string): Argument | undefined {
  for (const [index, argument] of argv.entries()) {
    const value = argument.value;
    if (value === undefined) continue;
    if (value === "--") return undefined;
    if (long !== "" && isLong(argument, long)) {
      const equals = value.indexOf("=");
      if (equals < 0) return argv[index + 1];
      return { ...argument, value: value.slice(equals + 1) };
    }
    if (short === "" || !/^-[A-Za-z]/.test(value) || !value.includes(short)) continue;
    const rest = value.slice(value.indexOf(short) + 1);
    return rest === "" ? argv[index + 1] : { ...argument, value: rest };
  }
  return undefined;
}

/** How to find the command that a wrapper runs. */
export interface WrapperTable {
  /** letters of short options that take a value */
  short?: string;
  /** long options that take a value as the next word */
  long?: string[];
  /** words before the command, such as the time of `timeout` */
  leading?: number;
  /** `NAME=value` words before the command */
  assignments?: boolean;
}

/** What a wrapper is given: its own options, and the command it runs (empty when there is none). */
export interface Unwrapped {
  options: Argument[];
  assignments: Argument[];
  rest: Argument[];
}

export function unwrap(argv: Argument[], table: WrapperTable): Unwrapped {
  const options: Argument[] = [];
  const assignments: Argument[] = [];
  let leading = table.leading ?? 0;
  let index = 0;
  let optionsEnded = false;
  for (; index < argv.length; index += 1) {
    const argument = argv[index];
    const value = argument?.value;
    if (argument === undefined || value === undefined) break;
    if (!optionsEnded && value === "--") {
      optionsEnded = true;
    } else if (!optionsEnded && value.startsWith("-") && value !== "-") {
      options.push(argument);
      if (takesNext(value, table)) {
        index += 1;
        const next = argv[index];
        if (next !== undefined) options.push(next);
      }
    } else if (table.assignments === true && /^[A-Za-z_]\w*=/.test(value)) {
      assignments.push(argument);
    } else if (leading > 0) {
      leading -= 1;
    } else break;
  }
  return { options, assignments, rest: argv.slice(index) };
}

function takesNext(value: string, table: WrapperTable): boolean {
  if (value.startsWith("--"))
    return !value.includes("=") && (table.long ?? []).some((name) => name.startsWith(value.slice(2)));
  const position = [...value].findIndex((letter, index) => index > 0 && (table.short ?? "").includes(letter));
  return position === value.length - 1;
}
