import { createInterface } from "node:readline/promises";
import { CancelledError, isHermesError } from "../base/errors.ts";
import { oneLine, stripControls } from "../base/text.ts";
import type { AgentEvent } from "../plugin/events.ts";
import { messageText } from "../plugin/message.ts";
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
 * Ctrl-C interrupts a running answer or clears the line; twice at an empty prompt it ends the chat, as Ctrl-D does.
 * Lines that are pasted together are one question.
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
  reader.setPrompt(palette.bold("› "));
  const atPrompt = createPromptInterrupt(reader, output);
  reader.on("SIGINT", () => {
    if (running === undefined) {
      atPrompt();
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
  await showLastExchange(open, output, palette);
  try {
    while (!options.shutdown.aborted) {
      const line = await readQuestion(reader, typedAhead, options.shutdown);
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
          await showLastExchange(open, output, palette);
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

type Reader = ReturnType<typeof createInterface>;

const secondPressMs = 3000;

/** Clears a line that was begun; at an empty one the second press in a row ends the chat. */
function createPromptInterrupt(reader: Reader, output: Output): () => void {
  let pressedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (reader.line !== "") {
      reader.write(null, { ctrl: true, name: "e" });
      reader.write(null, { ctrl: true, name: "u" });
      return;
    }
    if (performance.now() - pressedAt < secondPressMs) {
      reader.close();
      return;
    }
    pressedAt = performance.now();
    output.stdout("\n(Ctrl-C again or Ctrl-D ends the chat)\n");
    reader.prompt(true);
  };
}

const pasteMs = 20;

/** The next question: a line, or all lines of a paste. A command is always one line. */
async function readQuestion(reader: Reader, typedAhead: string[], signal: AbortSignal): Promise<string | undefined> {
  const first = typedAhead.shift() ?? (await readLine(reader, reader.getPrompt(), signal));
  if (first === undefined || first.startsWith("/")) return first;
  const lines = [first];
  // a terminal hands over a paste at once
  await Bun.sleep(pasteMs);
  const isPaste = typedAhead.length > 0;
  while (typedAhead.length > 0 && typedAhead[0]?.startsWith("/") === false) lines.push(typedAhead.shift() ?? "");
  if (isPaste && reader.line !== "") {
    const rest = await readLine(reader, reader.getPrompt(), signal, true);
    if (rest !== undefined) lines.push(rest);
  }
  return lines.join("\n");
}

/** @param keep the line was begun before: it is not prompted for again */
async function readLine(
  reader: Reader,
  prompt: string,
  signal: AbortSignal,
  keep = false,
): Promise<string | undefined> {
  const ended = Promise.withResolvers<undefined>();
  const onClose = (): void => ended.resolve(undefined);
  reader.once("close", onClose);
  try {
    return await Promise.race([reader.question(keep ? "" : prompt, { signal }), ended.promise]);
  } catch {
    // the chat is being closed: no further line comes
    return undefined;
  } finally {
    reader.off("close", onClose);
  }
}

/** What a resumed session said last, so that its user knows where it stands. */
async function showLastExchange(open: OpenSession, output: Output, palette: Palette): Promise<void> {
  if (open.session.messageCount === 0) return;
  const texts = (await open.messages()).flatMap(({ message }) => {
    const text = messageText(message).trim();
    return text === "" || message.role === "tool" ? [] : [{ role: message.role, text }];
  });
  for (const { role, text } of texts.slice(-2)) {
    output.stdout(palette.dim(`${role === "user" ? "›" : " "} ${oneLine(stripControls(text), 200)}\n`));
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
