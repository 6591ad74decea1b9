import type { ArgsDef } from "citty";
import { parseArgs } from "node:util";
import { HermesError } from "../base/errors.ts";
import { nearestName } from "../base/nearest.ts";

/** Arguments that a command declared; everything else is a usage error. */
export interface StrictArgs {
  flags: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/**
 * Refuses flags that the command does not know, values that are missing, and words too many.
 * @throws {HermesError} E_USAGE, exit code 2
 */
export function checkArgs(rawArgs: string[], definitions: ArgsDef, commandName: string): void {
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
  };
  const positionals: { name: string; required: boolean }[] = [];
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition.type === "positional") {
      positionals.push({ name, required: definition.required !== false && definition.default === undefined });
      continue;
    }
    const type = definition.type === "boolean" ? "boolean" : "string";
    const aliases = "alias" in definition && definition.alias !== undefined ? [definition.alias].flat() : [];
    const short = aliases.find((alias) => alias.length === 1);
    options[name] = { type, ...(short === undefined ? {} : { short }) };
    for (const alias of aliases.filter((entry) => entry.length > 1)) options[alias] = { type };
  }
  const usage = (message: string, hint = `hermes ${commandName} --help`): HermesError =>
    new HermesError("E_USAGE", message, { exitCode: 2, hint });
  let parsed: { positionals: string[]; tokens: { kind: string; name?: string }[] };
  try {
    parsed = parseArgs({
      args: rawArgs,
      options,
      allowPositionals: true,
      allowNegative: true,
      strict: true,
      tokens: true,
    });
  } catch (error) {
    throw usage(...describe(error, Object.keys(options), commandName));
  }
  const valued = parsed.tokens.flatMap(({ name }) =>
    name !== undefined && options[name]?.type === "string" ? [name] : [],
  );
  const twice = valued.find((name, index) => valued.indexOf(name) !== index);
  if (twice !== undefined) throw usage(`--${twice} is given twice`);
  const words = parsed.positionals;
  const extra = words[positionals.length];
  const last = positionals.at(-1);
  if (extra !== undefined && last?.name !== "words") throw usage(`unexpected word "${extra}"`);
  const missing = positionals[words.length];
  if (missing?.required === true) throw usage(`${missing.name.toUpperCase()} is missing`);
}

function describe(error: unknown, known: string[], commandName: string): [string, string?] {
  const text = error instanceof Error ? error.message : String(error);
  const unknown = /Unknown option '(-{1,2}[^']+)'/.exec(text)?.[1];
  if (unknown !== undefined) {
    const near = nearestName(unknown.replace(/^-+/, ""), known);
    return [
      `unknown option ${unknown}`,
      near === undefined || unknown.length < 4 ? undefined : `did you mean --${near}? hermes ${commandName} --help`,
    ];
  }
  const valueless = /Option '(?:-\w, )?(--[\w-]+)[^']*' argument missing/.exec(text)?.[1];
  if (valueless !== undefined) return [`${valueless} needs a value`];
  const unwanted = /Option '(?:-\w, )?(--[\w-]+)[^']*' does not take an argument/.exec(text)?.[1];
  if (unwanted !== undefined) return [`${unwanted} takes no value`];
  const dashed = /Option '(?:-\w, )?(--[\w-]+)[^']*' argument is ambiguous/.exec(text)?.[1];
  if (dashed !== undefined) return [`${dashed} needs a value; one that begins with - is written ${dashed}=-VALUE`];
  return [text.split("\n")[0] ?? text];
}
