import { truncate } from "../base/text.ts";
import { type Message, messageText, messageToolCalls } from "../plugin/message.ts";

/** How much of a tool result, or of the arguments of one call, search can find. In UTF-16 units. */
const MAX_TOOL_TEXT = 8192;

/** What search reads of a message: its text, the calls it makes, the start of a tool result. */
export function searchText(message: Message): string {
  const results = message.parts.filter((part) => part.type === "tool-result");
  const calls = messageToolCalls(message).map((call) => `${call.name} ${truncate(call.arguments, MAX_TOOL_TEXT)}`);
  const texts = [messageText(message), ...calls, ...results.map((part) => truncate(part.text, MAX_TOOL_TEXT))];
  return texts.filter((text) => text !== "").join("\n");
}
