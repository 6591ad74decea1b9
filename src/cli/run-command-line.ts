import { type CommandDef, renderUsage, runCommand } from "citty";
import { readEnv } from "../base/env.ts";
import { HermesError } from "../base/errors.ts";
import { nearestName } from "../base/nearest.ts";
import { redact } from "../base/redact.ts";
import type { CommandEntry } from "./command-table.ts";
import { renderError } from "./render-error.ts";
import { joinSessionWords } from "./session-words.ts";
import { checkArgs } from "./strict-args.ts";

/** Finds, checks and runs a command; every error ends here as text and exit code. */
export async function runCommandLine(argv: string[], commands: CommandEntry[]): Promise<number> {
  try {
    const names = commands.map((command) => command.name);
    const joined = joinSessionWords(argv, names);
    const { name, rest } = splitCommand(joined, names);
    const entry = commands.find((command) => command.name === name);
    if (entry === undefined) throw unknownCommand(name, names);
    const module = await entry.load();
    return await runResolved(module.default as CommandDef, rest, [entry.name]);
  } catch (error) {
    const { text, exitCode } = renderError(error, redact);
    process.stderr.write(`${text}\n`);
    return exitCode;
  }
}

/** No command means chat; flags of chat may stand before the word chat. */
function splitCommand(argv: string[], names: string[]): { name: string; rest: string[] } {
  const first = argv[0];
  if (first === undefined) return { name: "chat", rest: [] };
  if (!first.startsWith("-")) return { name: first, rest: argv.slice(1) };
  const valued = new Set([
    "-q",
    "--query",
    "-m",
    "--model",
    "--provider",
    "-r",
    "--resume",
    "--max-turns",
    "--source",
    "-c",
    "--continue",
  ]);
  const at = argv.findIndex((word, index) => names.includes(word) && !valued.has(argv[index - 1] ?? ""));
  return at === -1 || argv[at] !== "chat"
    ? { name: "chat", rest: argv }
    : { name: "chat", rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
}

function unknownCommand(name: string, names: string[]): HermesError {
  const near = nearestName(name, names);
  return new HermesError("E_USAGE", `unknown command "${name}"`, {
    exitCode: 2,
    hint: near === undefined ? "hermes --help lists all commands" : `did you mean "hermes ${near}"?`,
  });
}

async function runResolved(command: CommandDef, rest: string[], path: string[]): Promise<number> {
  const subCommands = (await resolve(command.subCommands)) ?? {};
  const word = rest[0];
  const isGroup = Object.keys(subCommands).length > 0;
  if (isGroup && word !== undefined && !word.startsWith("-")) {
    const sub = await resolve(subCommands[word]);
    if (sub === undefined) throw unknownSubCommand(word, path, Object.keys(subCommands));
    return await runResolved(sub, rest.slice(1), [...path, word]);
  }
  const end = rest.indexOf("--");
  if (wantsHelp(end === -1 ? rest : rest.slice(0, end)) || (isGroup && command.run === undefined)) {
    process.stdout.write(`${await usageOf(command, path)}\n`);
    return 0;
  }
  const definitions = (await resolve(command.args)) ?? {};
  checkArgs(rest, definitions, path.join(" "));
  // a group that runs by itself must not look for a subcommand again
  const { result } = await runCommand({ ...command, subCommands: {} }, { rawArgs: rest });
  return typeof result === "number" ? result : 0;
}

function wantsHelp(words: string[]): boolean {
  return words.some(
    (word, index) =>
      (word === "--help" || word === "-h") && words[index - 1] !== "-q" && words[index - 1] !== "--query",
  );
}

async function usageOf(command: CommandDef, path: string[]): Promise<string> {
  const named: CommandDef = { ...command, meta: { ...(await resolve(command.meta)), name: path.join(" ") } };
  const text = await renderUsage(named, { meta: { name: "hermes" } });
  return process.stdout.isTTY && readEnv("NO_COLOR") === undefined ? text : text.replace(/\u001b\[[0-9;]*m/g, "");
}

function unknownSubCommand(word: string, path: string[], known: string[]): HermesError {
  const near = nearestName(word, known);
  return new HermesError("E_USAGE", `hermes ${path.join(" ")}: unknown command "${word}"`, {
    exitCode: 2,
    hint: near === undefined ? `known: ${known.join(", ")}` : `did you mean "hermes ${path.join(" ")} ${near}"?`,
  });
}

async function resolve<Value>(
  value: Value | Promise<Value> | (() => Value | Promise<Value>) | undefined,
): Promise<Value | undefined> {
  return typeof value === "function" ? await (value as () => Value | Promise<Value>)() : await value;
}
