import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { isRecord, parseJson } from "../../base/json.ts";
import { toWellFormed } from "../../base/text.ts";
import { type Message, messageText, messageToolCalls } from "../../plugin/message.ts";
import type { ModelRequest, ProviderQuirks } from "../../plugin/provider.ts";

type ChatBody = ChatCompletionCreateParamsStreaming & Record<string, unknown>;

/** The body of one chat-completions request. Pure: the same request gives the same bytes. */
export function toChatBody(request: ModelRequest, provider: string, quirks: ProviderQuirks): ChatBody {
  const systemRole = /gpt-5|codex|^o\d/i.test(request.model) && provider === "openai" ? "developer" : "system";
  const body: ChatBody = {
    model: request.model,
    messages: request.messages.map((message) => toChatMessage(message, provider, systemRole)),
    stream: true,
  };
  if (request.tools.length > 0) {
    body.tools = request.tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: tool.parameters },
    }));
  }
  if (quirks.noStreamOptions !== true) body.stream_options = { include_usage: true };
  if (request.maxOutputTokens !== undefined) body[quirks.outputLimitField ?? "max_tokens"] = request.maxOutputTokens;
  if (request.temperature !== undefined) body.temperature = request.temperature;
  addReasoning(body, request, quirks);
  return body;
}

const reasoningModels = /^(?:deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|qwen\/qwen3)/;

function addReasoning(body: ChatBody, request: ModelRequest, quirks: ProviderQuirks): void {
  if (quirks.reasoning === "openrouter" && reasoningModels.test(request.model)) {
    const wanted = request.reasoning ?? { enabled: true, effort: "medium" };
    body["reasoning"] = wanted.enabled ? { enabled: true, effort: wanted.effort ?? "medium" } : { enabled: false };
  }
  if (quirks.reasoning === "reasoning_effort" && request.reasoning !== undefined) {
    body["reasoning_effort"] = request.reasoning.enabled ? (request.reasoning.effort ?? "medium") : "none";
  }
}

function toChatMessage(
  message: Message,
  provider: string,
  systemRole: "system" | "developer",
): ChatCompletionMessageParam {
  switch (message.role) {
    case "system":
      return { role: systemRole, content: clean(messageText(message)) };
    case "user":
      return toUserMessage(message);
    case "assistant":
      return toAssistantMessage(message, provider);
    case "tool": {
      const result = message.parts.find((part) => part.type === "tool-result");
      return { role: "tool", tool_call_id: result?.callId ?? "", content: clean(result?.text ?? "") };
    }
  }
}

function toUserMessage(message: Message): ChatCompletionMessageParam {
  const images = message.parts.filter((part) => part.type === "image");
  const text = clean(messageText(message));
  if (images.length === 0) return { role: "user", content: text };
  return {
    role: "user",
    content: [
      { type: "text", text },
      ...images.map((image) => ({
        type: "image_url" as const,
        image_url: { url: image.url ?? `data:${image.mediaType};base64,${image.data ?? ""}` },
      })),
    ],
  };
}

function toAssistantMessage(message: Message, provider: string): ChatCompletionMessageParam {
  const text = clean(messageText(message));
  const calls = messageToolCalls(message);
  const result: Record<string, unknown> & { role: "assistant" } = {
    role: "assistant",
    content: text === "" ? null : text,
  };
  // a server may refuse an assistant message that says nothing
  if (text === "" && calls.length === 0) result["content"] = "";
  for (const part of message.parts) {
    if (part.type === "reasoning" && part.provider === provider && isRecord(part.opaque))
      Object.assign(result, part.opaque);
  }
  if (calls.length > 0) {
    result["tool_calls"] = calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: validArguments(call.arguments) },
      ...(call.extra === undefined ? {} : { extra_content: call.extra }),
    }));
  }
  // the fields added above are ones that the typings do not know
  return result;
}

/** Arguments of an old call that are no JSON object would be refused by strict servers. */
function validArguments(text: string): string {
  return isRecord(parseJson(text)) ? clean(text) : "{}";
}

function clean(text: string): string {
  return toWellFormed(text).replaceAll("\u0000", "\uFFFD");
}
