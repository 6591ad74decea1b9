import { estimateTokens } from "../base/text.ts";
import type { Message } from "../plugin/message.ts";
import type { ModelRequest, ToolSpec } from "../plugin/provider.ts";

const imageTokens = 1600;
const messageOverhead = 4;

/** Rough tokens of one message; an image counts as 1,600 whatever its size. */
export function estimateMessageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
      case "reasoning":
      case "tool-result":
        tokens += estimateTokens(part.text);
        break;
      case "tool-call":
        tokens += estimateTokens(part.name) + estimateTokens(part.arguments);
        break;
      case "image":
        tokens += imageTokens;
        break;
      case "audio":
      case "file":
        break;
    }
  }
  return tokens;
}

export function estimateToolTokens(tools: ToolSpec[]): number {
  return tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
}

export function estimateRequestTokens(request: Pick<ModelRequest, "messages" | "tools">): number {
  return request.messages.reduce(
    (sum, message) => sum + estimateMessageTokens(message),
    estimateToolTokens(request.tools),
  );
}
