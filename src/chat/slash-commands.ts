import { isHermesError } from "../base/errors.ts";
import { nearestName } from "../base/nearest.ts";
import { oneLine } from "../base/text.ts";
import type { OpenSession, Runtime } from "../runtime/index.ts";
import { listSessions } from "../session/index.ts";

/** What the chat does after a command. */
export type CommandOutcome = { type: "stay" } | { type: "quit" } | { type: "switch"; open: OpenSession };

export interface CommandWorld {
  runtime: Runtime;
  open: OpenSession;
  cwd: string;
  source: string;
  print(text: string): void;
}

interface SlashCommand {
  name: string;
  usage: string;
  description: string;
  run(argument: string, world: CommandWorld): Promise<CommandOutcome>;
}

const stay: CommandOutcome = { type: "stay" };

export const slashCommands: SlashCommand[] = [
  {
    name: "new",
    usage: "",
    description: "start a new session",
    async run(_, world) {
      const open = await world.runtime.openSession({ source: world.source, cwd: world.cwd });
      world.print("a new session begins");
      return { type: "switch", open };
    },
  },
  {
    name: "resume",
    usage: "[ID|TITLE]",
    description: "go on with an earlier session; without a name lists the newest",
    async run(argument, world) {
      if (argument === "") {
        const sessions = await listSessions(world.runtime.store, { limit: 10 });
        world.print(
          sessions.length === 0
            ? "no sessions yet"
            : sessions.map((entry) => `  ${entry.id}  ${oneLine(entry.title ?? entry.preview, 50)}`).join("\n"),
        );
        return stay;
      }
      const open = await world.runtime.openSession({ source: world.source, cwd: world.cwd, resume: argument });
      world.print(`session ${open.session.id}, ${open.session.messageCount} messages`);
      return { type: "switch", open };
    },
  },
  {
    name: "model",
    usage: "[MODEL [PROVIDER]]",
    description: "show or change the model of this session",
    async run(argument, world) {
      const [model, provider] = argument.split(/\s+/);
      if (model !== undefined && model !== "") await world.open.setModel(model, provider);
      world.print(`model ${world.open.model.model}, provider ${world.open.model.provider}`);
      return stay;
    },
  },
  {
    name: "help",
    usage: "",
    description: "this list",
    run(_, world) {
      const rows = slashCommands.map(
        (command) => `  /${`${command.name} ${command.usage}`.trim().padEnd(26)}${command.description}`,
      );
      world.print(`${rows.join("\n")}\n  Ctrl-C interrupts an answer; Ctrl-D or /quit ends`);
      return Promise.resolve(stay);
    },
  },
  {
    name: "quit",
    usage: "",
    description: "end; the session can be resumed",
    run: () => Promise.resolve({ type: "quit" }),
  },
];

/** Runs `/name argument`; a unique start of a name suffices. Errors are printed, the chat goes on. */
export async function runSlashCommand(line: string, world: CommandWorld): Promise<CommandOutcome> {
  const [word = "", ...rest] = line.slice(1).trim().split(/\s+/);
  const name = word === "exit" ? "quit" : word.toLowerCase();
  const matches = slashCommands.filter((command) => command.name.startsWith(name));
  const command =
    slashCommands.find((entry) => entry.name === name) ??
    (matches.length === 1 && name !== "" ? matches[0] : undefined);
  if (command === undefined) {
    const near = nearestName(
      name,
      slashCommands.map((entry) => entry.name),
    );
    world.print(`unknown command "/${word}"; ${near === undefined ? "/help lists all" : `did you mean /${near}?`}`);
    return stay;
  }
  try {
    return await command.run(rest.join(" "), world);
  } catch (error) {
    if (!isHermesError(error)) throw error;
    world.print(`error: ${error.message}${error.hint === undefined ? "" : `\n  try: ${error.hint}`}`);
    return stay;
  }
}
