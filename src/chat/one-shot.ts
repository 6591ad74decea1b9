import type { TurnResult } from "../agent/index.ts";
import { stripControls } from "../base/text.ts";
import type { AgentEvent } from "../plugin/events.ts";
import { denyAll, type Interaction } from "../plugin/interaction.ts";
import type { OpenSession } from "../runtime/index.ts";
import { errorLines } from "./event-text.ts";
import type { Output } from "./output.ts";
import { textEmitter } from "./text-emitter.ts";

export type OutputMode = "text" | "quiet" | "json";

/**
 * Asks one question and prints the answer.
 * text: the answer as it comes, the tool feed on stderr; quiet: only the final answer; json: one event a line.
 * `session_id: …` goes to stderr.
 * @returns the exit code: 0 completed, 1 failed or out of budget, 130 interrupted
 */
export async function runOneShot(
  open: OpenSession,
  question: string,
  options: { mode: OutputMode; output: Output; signal: AbortSignal; interaction?: Interaction },
): Promise<number> {
  const { mode, output } = options;
  const emit =
    mode === "json" ? jsonEmitter(output) : mode === "quiet" ? () => undefined : textEmitter(output, output.stderr);
  const result = await open.run(
    { parts: [{ type: "text", text: question }] },
    {
      interaction: options.interaction ?? denyAll("nobody can be asked: there is no terminal"),
      emit,
      signal: options.signal,
    },
  );
  if (mode === "quiet" && result.text !== "") output.stdout(`${stripControls(result.text)}\n`);
  if (mode !== "json")
    for (const line of errorLines({ type: "turn-end", turnId: "", costUsd: null, ...result }))
      output.stderr(`${line}\n`);
  output.stderr(`session_id: ${open.session.id}\n`);
  return exitCodeOf(result);
}

export function exitCodeOf(result: Pick<TurnResult, "outcome">): number {
  switch (result.outcome) {
    case "completed":
      return 0;
    case "interrupted":
      return 130;
    case "failed":
    case "limit":
      return 1;
  }
}

function jsonEmitter(output: Output): (event: AgentEvent) => void {
  return (event) => output.stdout(`${JSON.stringify(event)}\n`);
}
