import { createInterface } from "node:readline/promises";
import { CancelledError, isHermesError } from "../base/errors.ts";
import { stripControls } from "../base/text.ts";
import type { AgentEvent } from "../plugin/events.ts";
import type { OpenSession, Runtime } from "../runtime/index.ts";
import { createPalette, errorLines, type Palette } from "./event-text.ts";
import type { Output } from "./output.ts";
import { textEmitter } from "./text-emitter.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { createTerminalInteraction } from "./terminal-interaction.ts";

export interface ChatOptions {
  runtime: Runtime;
  open: OpenSession;
  cwd: string;
  source: string;
  output: Output;
  input: NodeJS.ReadStream;
  /** fires on SIGTERM and SIGHUP: the turn is interrupted, everything is stored, the chat ends */
  shutdown: AbortSignal;
}

/**
 * The plain chat of a terminal: reads a line, streams the answer, asks for approvals.
 * Ctrl-C interrupts a running answer; at an empty prompt it ends the chat, as Ctrl-D does.
 * @returns the exit code
 */
export async function runInteractive(options: ChatOptions): Promise<number> {
  const { output, input } = options;
  const palette = createPalette(output.colors);
  const reader = createInterface({ input, output: process.stdout, terminal: true, historySize: 500 });
  const interaction = createTerminalInteraction(reader, output);
  let open = options.open;
  let running: AbortController | undefined;
  // what is typed while an answer runs is asked next; an open question takes its line itself
  const typedAhead: string[] = [];
  reader.on("line", (line) => typedAhead.push(line));
  reader.on("SIGINT", () => {
    if (running === undefined) {
      reader.close();
      return;
    }
    typedAhead.length = 0;
    running.abort(new CancelledError("interrupted by the user"));
  });
  options.shutdown.addEventListener("abort", () => {
    running?.abort(options.shutdown.reason);
    reader.close();
  });
  greet(open, output, palette);
  try {
    while (!options.shutdown.aborted) {
      const line = typedAhead.shift() ?? (await readLine(reader, palette.bold("› "), options.shutdown));
      if (line === undefined) break;
      const text = line.trim();
      if (text === "") continue;
      if (text.startsWith("/") && !text.startsWith("//") && /^\/[a-z]*(?:\s|$)/i.test(text)) {
        const outcome = await runSlashCommand(text, {
          ...options,
          open,
          print: (lines) => output.stdout(`${lines}\n`),
        });
        if (outcome.type === "quit") break;
        if (outcome.type === "switch") {
          await open.close();
          open = outcome.open;
        }
        continue;
      }
      running = new AbortController();
      try {
        const signal = AbortSignal.any([running.signal, options.shutdown]);
        await open.run(
          { parts: [{ type: "text", text }] },
          { interaction, emit: createEmitter(output, palette), signal },
        );
      } catch (error) {
        if (!isHermesError(error)) throw error;
        output.stderr(
          `error: ${stripControls(error.message)}\n${error.hint === undefined ? "" : `  try: ${error.hint}\n`}`,
        );
      } finally {
        running = undefined;
      }
    }
  } finally {
    reader.close();
    await open.close();
  }
  if (open.session.messageCount > 0)
    output.stdout(palette.dim(`\nsession ${open.session.id}; go on with: hermes -r ${open.session.id}\n`));
  return options.shutdown.aborted ? 143 : 0;
}

async function readLine(
  reader: ReturnType<typeof createInterface>,
  prompt: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ended = Promise.withResolvers<undefined>();
  const onClose = (): void => ended.resolve(undefined);
  reader.once("close", onClose);
  try {
    return await Promise.race([reader.question(prompt, { signal }), ended.promise]);
  } catch {
    // the chat is being closed: no further line comes
    return undefined;
  } finally {
    reader.off("close", onClose);
  }
}

function greet(open: OpenSession, output: Output, palette: Palette): void {
  output.stdout(`${palette.bold("hermes")} ${palette.dim(`· ${open.model.model} · ${open.model.provider} · /help`)}\n`);
  const { session } = open;
  if (session.messageCount > 0)
    output.stdout(palette.dim(`session ${session.id} goes on, ${session.messageCount} messages\n`));
}

function createEmitter(output: Output, palette: Palette): (event: AgentEvent) => void {
  const show = textEmitter(output, output.stdout);
  return (event) => {
    show(event);
    if (event.type !== "turn-end") return;
    if (event.outcome === "interrupted") output.stdout(palette.yellow("  interrupted\n"));
    for (const text of errorLines(event)) output.stderr(`${text}\n`);
  };
}
