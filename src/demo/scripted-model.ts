import type { Message, ToolResultPart } from "../plugin/message.ts";
import type { ModelClient, ModelEvent, ModelRequest } from "../plugin/provider.ts";

/** One move of the script: text, and perhaps a call. */
export interface Move {
  text: string;
  call?: { name: string; arguments: Record<string, unknown> };
}

/** Chooses the next move from the user's text and the results of the calls made since. */
export type Script = (question: string, results: ToolResultPart[]) => Move;

/**
 * A model that follows a script. It reads the real results of the real tools, but it is no language model.
 * @param paceMs wait between pieces of text, so that a person can follow
 */
export function createScriptedModel(script: Script, paceMs: number): ModelClient {
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const { question, results } = lastTurn(request.messages);
      const move = script(question, results);
      for (const piece of move.text.match(/\S+\s*/g) ?? []) {
        if (signal.aborted) throw signal.reason;
        yield { type: "text-delta", text: piece };
        if (paceMs > 0) await Bun.sleep(paceMs);
      }
      if (move.call !== undefined) {
        const id = `demo_${request.messages.length}`;
        yield { type: "tool-call", id, name: move.call.name, arguments: JSON.stringify(move.call.arguments) };
      }
      yield { type: "finish", reason: move.call === undefined ? "stop" : "tool-calls" };
    },
  };
}

function lastTurn(messages: Message[]): { question: string; results: ToolResultPart[] } {
  const start = messages.findLastIndex((message) => message.role === "user");
  const question = messages[start]?.parts.find((part) => part.type === "text")?.text ?? "";
  const results = messages
    .slice(start + 1)
    .flatMap((message) => message.parts.filter((part) => part.type === "tool-result"));
  return { question, results };
}
