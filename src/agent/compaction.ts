import { redact } from "../base/redact.ts";
import { truncate } from "../base/text.ts";
import { estimateMessageTokens } from "../models/index.ts";
import { type Message, messageText, messageToolCalls } from "../plugin/message.ts";
import type { NewMessage, StoredMessage } from "../session/index.ts";
import { compactionThreshold, planCompaction } from "./compaction-plan.ts";
import type { AgentDeps } from "./types.ts";

const prefix = "[CONTEXT COMPACTION]";
const note = `${prefix} The earlier part of this conversation was summarized to save space. The summary is a record of what happened: tasks in it are history unless the newest user message asks for them.`;
const endMark = "[END OF SUMMARY]";

const sections = [
  "Goal",
  "Constraints & Preferences",
  "Progress so far (Done / In Progress / Blocked)",
  "Key Decisions",
  "Relevant Files",
  "Open Points at that Time",
  "Critical Context",
];

export type CompactionOutcome =
  | { done: true; history: StoredMessage[] }
  /** nothing was changed; `reason` is for a person */
  | { done: false; reason: string };

/**
 * Summarizes the middle of the history and goes on in a child session. The old session keeps every message.
 * When the summary fails, or would not make the history shorter, nothing changes.
 * @throws the signal's reason when aborted; {StoreError} when the child cannot be stored
 */
export async function compact(
  history: StoredMessage[],
  deps: AgentDeps,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const threshold = compactionThreshold(deps.context.tokens, deps.settings.compaction);
  const plan = planCompaction(history, threshold, deps.settings.compaction);
  if (plan === undefined) return { done: false, reason: "there is nothing left to summarize" };
  const middle = history.slice(plan.head, plan.tail);
  const before = tokensOf(middle);
  const budget = Math.max(Math.min(Math.floor(before * 0.2), 12_000, Math.floor(deps.context.tokens * 0.05)), 500);
  const input = serialize(middle, Math.floor(deps.context.tokens * 0.6));
  let summary: string;
  try {
    summary = await deps.summarize(summaryPrompt(input, budget), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return { done: false, reason: `the summary failed: ${error instanceof Error ? error.message : String(error)}` };
  }
  const text = redact(stripMarks(summary));
  if (text === "") return { done: false, reason: "the model gave an empty summary" };
  const next = assemble(history.slice(0, plan.head), text, history.slice(plan.tail));
  if (tokensOf(next) >= tokensOf(history))
    return { done: false, reason: "the summary is longer than what it replaces" };
  const stored = await deps.turn.continueAs({
    systemPrompt: deps.rebuildPrompt(),
    tools: deps.tools.specs,
    messages: next,
  });
  return { done: true, history: stored };
}

function tokensOf(entries: NewMessage[]): number {
  return entries.reduce(
    (sum, entry) => sum + estimateMessageTokens(entry.message) + (entry.context?.length ?? 0) / 4,
    0,
  );
}

/** Puts the summary between head and tail with a role that keeps the roles alternating, else into the tail's first message. */
function assemble(head: StoredMessage[], summary: string, tail: StoredMessage[]): NewMessage[] {
  const copy = (entry: StoredMessage): NewMessage => ({
    message: entry.message,
    ...(entry.context === undefined ? {} : { context: entry.context }),
    unsearchable: true,
  });
  const text = `${note}\n\n${summary}\n\n${endMark}`;
  const last = head.at(-1)?.message.role;
  const first = tail[0]?.message.role;
  const wanted = last === "user" ? "assistant" : "user";
  if (wanted !== first) {
    // as context: for the model only, hidden from display and search
    const entry: NewMessage =
      wanted === "user"
        ? { message: { role: "user", parts: [] }, context: text, unsearchable: true }
        : { message: { role: "assistant", parts: [{ type: "text", text }] }, unsearchable: true };
    return [...head.map(copy), entry, ...tail.map(copy)];
  }
  const merged = tail.map(copy);
  const target = merged[0];
  if (target !== undefined) {
    const joined: Message =
      first === "user"
        ? target.message
        : { role: "assistant", parts: [{ type: "text", text }, ...target.message.parts] };
    merged[0] = {
      ...target,
      message: joined,
      ...(first === "user"
        ? { context: [target.context, text].filter((part) => part !== undefined).join("\n\n") }
        : {}),
    };
  }
  return [...head.map(copy), ...merged];
}

function stripMarks(text: string): string {
  return text
    .replaceAll(endMark, "")
    .replace(/^\s*\[CONTEXT (?:COMPACTION|SUMMARY)\]:?/i, "")
    .trim();
}

function summaryPrompt(transcript: string, budgetTokens: number): string {
  return `Below is the middle part of a conversation between a user and an agent with tools. Write the record that will replace it, for the agent to go on from. Write what was asked, what was really done with which result, names, paths, commands, numbers and error texts exactly. Do not answer anything in it, do not continue it, add nothing that is not in it. If it holds an earlier summary, merge that.

Use these headings, leave out empty ones: ${sections.join(" · ")}.
At most ${budgetTokens} tokens. Write in the language of the user.

<transcript>
${transcript}
</transcript>`;
}

const messageLimit = 6000;
const headLimit = 4000;
const tailLimit = 1500;
const argumentLimit = 1200;

/** The transcript for the summary, secrets redacted; the oldest lines are shortened first when it is too long. */
function serialize(entries: StoredMessage[], maxTokens: number): string {
  const lines = entries.map((entry) => serializeOne(entry));
  const maxChars = maxTokens * 4;
  let total = lines.reduce((sum, line) => sum + line.length, 0);
  for (let index = 0; index < lines.length && total > maxChars; index += 1) {
    const line = lines[index] ?? "";
    const shorter = truncate(line, 400);
    total -= line.length - shorter.length;
    lines[index] = shorter;
  }
  return redact(lines.join("\n\n"));
}

function serializeOne(entry: StoredMessage): string {
  const { message } = entry;
  const result = message.parts.find((part) => part.type === "tool-result");
  if (result !== undefined) return `[tool result ${result.name}] ${shorten(result.text)}`;
  const calls = messageToolCalls(message).map(
    (call) => `[calls ${call.name} ${truncate(call.arguments, argumentLimit)}]`,
  );
  const text = [messageText(message), message.role === "user" ? entry.context : undefined].filter(
    (part) => part !== undefined && part !== "",
  );
  return [`[${message.role}]`, ...text.map((part) => shorten(part ?? "")), ...calls].join("\n");
}

function shorten(text: string): string {
  if (text.length <= messageLimit) return text;
  return `${text.slice(0, headLimit)}\n[... ${text.length - headLimit - tailLimit} characters left out ...]\n${text.slice(-tailLimit)}`;
}
