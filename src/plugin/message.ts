import type { JsonValue } from "../base/json.ts";

export type Role = "system" | "user" | "assistant" | "tool";

export interface TextPart {
  type: "text";
  text: string;
}

/** An image, by blob reference, URL or base64 data; exactly one of the three. */
export interface ImagePart {
  type: "image";
  mediaType: string;
  blob?: string;
  url?: string;
  data?: string;
}

export interface AudioPart {
  type: "audio";
  mediaType: string;
  blob: string;
}

export interface FilePart {
  type: "file";
  mediaType: string;
  name: string;
  blob: string;
}

/** What the model thought. `opaque` is the provider's own payload, kept and sent back verbatim. */
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  /** id of the provider that made `opaque`; another provider never receives it */
  provider?: string;
  opaque?: JsonValue;
}

/** A call the model asks for. `arguments` is JSON text of an object. */
export interface ToolCallPart {
  type: "tool-call";
  id: string;
  name: string;
  arguments: string;
  /** provider data of this call (thought signatures), sent back verbatim */
  extra?: JsonValue;
}

/** The answer to one tool call. */
export interface ToolResultPart {
  type: "tool-result";
  callId: string;
  name: string;
  text: string;
  isError?: boolean;
}

export type Part = TextPart | ImagePart | AudioPart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart;

/** One message of a session, the same for every wire. A `tool` message holds exactly one tool-result part. */
export interface Message {
  role: Role;
  parts: Part[];
}

/** The text parts of a message, joined by a newline. */
export function messageText(message: Message): string {
  return message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

/** The tool calls of a message in order. */
export function messageToolCalls(message: Message): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}
