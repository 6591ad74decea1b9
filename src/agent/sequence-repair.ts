import { isRecord, parseJson } from "../base/json.ts";
import { type Message, messageText, messageToolCalls, type Part, type ToolResultPart } from "../plugin/message.ts";
import type { StoredMessage } from "../session/index.ts";

/** The text of a tool call whose result was lost. */
export const lostResultText =
  "[No result: the call was interrupted before it finished. Its effect is unknown; check before you repeat it.]";

/**
 * The messages of a request: contexts put behind their user messages, and a sequence that every server accepts.
 * Works on copies; the same history gives the same messages, so that a prefix stays byte-identical.
 */
export function toRequestMessages(systemPrompt: string, history: StoredMessage[]): Message[] {
  const system: Message = { role: "system", parts: [{ type: "text", text: systemPrompt }] };
  const visible = history.map(withContext).filter((message) => !isEmpty(message));
  return [system, ...mergeUsers(pairResults(visible))];
}

function withContext(entry: StoredMessage): Message {
  if (entry.context === undefined || entry.context === "") return entry.message;
  const text = messageText(entry.message);
  const others = entry.message.parts.filter((part) => part.type !== "text");
  const joined = text === "" ? entry.context : `${text}\n\n${entry.context}`;
  return { role: entry.message.role, parts: [{ type: "text", text: joined }, ...others] };
}

/** Says nothing: no text, no call, no attachment. Thoughts alone are refused by servers. */
function isEmpty(message: Message): boolean {
  return message.parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""));
}

/** Gives every call exactly one result right behind it, and drops results that answer no call. */
function pairResults(messages: Message[]): Message[] {
  const results = new Map<string, ToolResultPart>();
  const output: Message[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue;
    output.push(message);
    const calls = messageToolCalls(message);
    if (calls.length === 0) continue;
    results.clear();
    for (const later of messages.slice(index + 1)) {
      if (later.role !== "tool") break;
      for (const part of later.parts)
        if (part.type === "tool-result" && !results.has(part.callId)) results.set(part.callId, part);
    }
    for (const call of calls) {
      const found = results.get(call.id) ?? {
        type: "tool-result",
        callId: call.id,
        name: call.name,
        text: lostResultText,
      };
      output.push({ role: "tool", parts: [isRecord(parseJson(call.arguments)) ? found : markBroken(found)] });
    }
  }
  return output;
}

/** The request carries `{}` for arguments that are no object; the result says so. */
function markBroken(result: ToolResultPart): ToolResultPart {
  return result.text.startsWith("[") || result.isError === true
    ? result
    : { ...result, text: `[The arguments of this call were broken.] ${result.text}` };
}

function mergeUsers(messages: Message[]): Message[] {
  const output: Message[] = [];
  for (const message of messages) {
    const before = output.at(-1);
    if (before === undefined || before.role !== message.role || message.role === "tool" || message.role === "system") {
      output.push(message);
    } else if (message.role === "user") {
      output[output.length - 1] = joinUsers(before, message);
    } else {
      output[output.length - 1] =
        messageToolCalls(before).length > 0 ? before : { role: "assistant", parts: joinAssistants(before, message) };
    }
  }
  return output;
}

function joinUsers(left: Message, right: Message): Message {
  const text = [messageText(left), messageText(right)].filter((part) => part !== "").join("\n\n");
  const others = [...left.parts, ...right.parts].filter((part) => part.type !== "text");
  return { role: "user", parts: [{ type: "text", text }, ...others] };
}

function joinAssistants(left: Message, right: Message): Part[] {
  const text = [messageText(left), messageText(right)].filter((part) => part !== "").join("\n\n");
  const others = [...left.parts, ...right.parts].filter((part) => part.type !== "text");
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...others];
}
