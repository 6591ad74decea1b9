import { type CommandArgument, parse, type Word } from "unbash";
import { type Argument, readArgument } from "./argument.ts";
import { expandBraces } from "./braces.ts";
import { alternativeCount, wordFields } from "./known-values.ts";
import type { Scope } from "./scope.ts";

/** words of all guesses of one command together */
const maximumGuessed = 2000;

/**
 * The words of a command with everything filled in that its own line says: braces, variables set before, `$(echo …)`.
 * They are judged besides the command as it stands, where such words count as unknown: they can only add to the verdict.
 */
export function guessArgvs(words: readonly CommandArgument[], scope: Scope): Argument[][] {
  if (!words.some((word) => word.type === "Word" && isGuessable(word))) return [];
  const spread = words.flatMap((word) => spreadBraces(word, scope));
  const alternatives = alternativeCount(
    spread.filter((word) => word.type === "Word"),
    scope,
  );
  const count = Math.min(alternatives, Math.ceil(maximumGuessed / spread.length));
  return Array.from({ length: count }, (_, alternative) =>
    spread.flatMap((word) =>
      word.type === "Word" ? wordFields(word, alternative, scope) : [readArgument(word, scope.place)],
    ),
  );
}

/** The values that one word may have. */
export function guessWord(word: Word, scope: Scope): Argument[] {
  return guessArgvs([word], scope).flat();
}

const guessable = new Set(["BraceExpansion", "SimpleExpansion", "ParameterExpansion", "CommandExpansion"]);

const isGuessable = (word: Word): boolean =>
  word.parts?.some((part) =>
    part.type === "DoubleQuoted" || part.type === "LocaleString"
      ? part.parts.some((child) => guessable.has(child.type))
      : guessable.has(part.type),
  ) === true;

function spreadBraces(word: CommandArgument, scope: Scope): CommandArgument[] {
  if (word.type !== "Word" || word.parts?.some((part) => part.type === "BraceExpansion") !== true) return [word];
  const texts = expandBraces(word.text);
  if (texts === undefined) {
    if (word.text.includes(",")) scope.findings.ask("nested too deep", "braces that make too many words to be judged");
    return [word];
  }
  const [statement] = parse(`: ${texts.filter((text) => text !== "").join(" ")}`).commands;
  return statement?.command.type === "Command" ? [...statement.command.args] : [word];
}
