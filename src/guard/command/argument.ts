import type { CommandArgument, Word, WordPart } from "unbash";
import { join } from "node:path";
import type { Place } from "../types.ts";

/** One word of a command, as far as its value is known before it runs. */
export interface Argument {
  /** the source text, for people */
  text: string;
  /** what bash makes of it; undefined when an expansion decides */
  value: string | undefined;
  /** an unquoted pattern that bash matches against file names */
  glob: boolean;
}

export const literal = (value: string): Argument => ({ text: value, value, glob: false });
export const unknownArgument = (text: string): Argument => ({ text, value: undefined, glob: false });

/** The value of a word; home variables are known, every other expansion makes it unknown. */
export function readWord(word: Word, place: Place): Argument {
  if (word.parts === undefined) return literalWord(word, place);
  let value = "";
  let glob = false;
  for (const part of word.parts) {
    const piece = partValue(part, place);
    if (piece === undefined) return { text: word.text, value: undefined, glob };
    if (part.type === "Glob" || part.type === "ExtendedGlob") glob = true;
    value += piece;
  }
  return { text: word.text, value: word.text.startsWith("~") ? expandHome(value, place) : value, glob };
}

/** An argument or an assignment among the arguments, which counts as `name=value`. */
export function readArgument(argument: CommandArgument, place: Place): Argument {
  if (argument.type === "Word") return readWord(argument, place);
  if (argument.value.type !== "Word" || argument.index !== undefined) return unknownArgument(argument.text);
  const value = readWord(argument.value, place);
  if (value.value === undefined) return unknownArgument(argument.text);
  return { text: argument.text, value: `${argument.name}=${value.value}`, glob: value.glob };
}

function literalWord(word: Word, place: Place): Argument {
  const value = word.text.startsWith("~") ? expandHome(word.value, place) : word.value;
  return { text: word.text, value, glob: false };
}

export function expandHome(value: string, place: Place): string {
  if (value === "~" || value.startsWith("~/")) return place.userHome + value.slice(1);
  return value.replace(/^~([a-z_][\w-]*)/i, (_, name: string) => (name === "root" ? "/root" : `/home/${name}`));
}

function partValue(part: WordPart, place: Place): string | undefined {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "Glob":
    case "ExtendedGlob":
      return part.text;
    case "DoubleQuoted":
    case "LocaleString":
      return joinParts(part.parts, place);
    case "SimpleExpansion":
      return homeVariable(part.text.slice(1), place);
    case "ParameterExpansion":
      if (part.operation !== undefined || part.prefix !== undefined || part.index !== undefined) return undefined;
      return homeVariable(part.parameter, place);
    default:
      return undefined;
  }
}

function joinParts(parts: readonly WordPart[], place: Place): string | undefined {
  let value = "";
  for (const part of parts) {
    const piece = partValue(part, place);
    if (piece === undefined) return undefined;
    value += piece;
  }
  return value;
}

/** The value of a variable that names a home or the working directory. */
export function homeVariable(name: string, place: Place): string | undefined {
  if (name === "HOME") return place.userHome;
  if (name === "HERMES_HOME") return place.home;
  if (name === "PWD") return join(place.cwd);
  return undefined;
}
