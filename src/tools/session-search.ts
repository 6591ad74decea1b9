import { z } from "zod";
import { redact } from "../base/redact.ts";
import { truncate } from "../base/text.ts";
import { messageText } from "../plugin/message.ts";
import {
  listSessions,
  loadMessages,
  readLineage,
  searchSessions,
  type SessionHit,
  type StoredMessage,
} from "../session/index.ts";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { answer } from "./tool-answer.ts";

const MAX_SESSIONS = 5;
/** Messages before and after a hit that are shown with it. */
const AROUND = 1;
const MAX_HIT_CHARS = 1500;
const MAX_AROUND_CHARS = 300;
const HITS_PER_SESSION = 3;
/** Sessions of machinery, never a memory of the user's. */
const HIDDEN_SOURCES = ["tool", "subagent"];

const limit = z.preprocess(
  (value) => (typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value),
  z.number().catch(3),
);

export const sessionSearch = defineCoreTool({
  name: "session_search",
  toolset: "session_search",
  description:
    "Searches the user's past sessions. Ask as you would ask a person, in any language: no operators are needed; " +
    '"…" is a phrase, word* a prefix, NOT word excludes. Without query it lists the newest sessions. Use it when the ' +
    "user refers to earlier work, or when a problem may have been solved before.",
  parameters: z.object({
    query: z.string().optional().describe("a question or words to look for; leave it out to list the newest sessions"),
    role_filter: z.string().optional().describe("only messages of these roles, like user,assistant"),
    limit: limit.optional().describe("sessions at most, 1 to 5; default 3"),
  }),
  previewArgument: "query",
  concurrency: () => ({ mode: "parallel" }),
  async execute(args, context) {
    const count = Math.min(MAX_SESSIONS, Math.max(1, Math.trunc(args.limit ?? 3)));
    const query = args.query?.trim() ?? "";
    return query === "" ? recent(count, context) : found({ query, count, roles: toRoles(args.role_filter) }, context);
  },
});

async function recent(count: number, context: CoreToolContext) {
  const current = await currentLineage(context);
  const sessions = await listSessions(context.store, { limit: count + current.length });
  const results = sessions
    .filter((session) => !current.includes(session.id))
    .slice(0, count)
    .map((session) => ({
      session_id: session.id,
      title: session.title === null ? null : redact(session.title),
      source: session.source,
      started_at: session.startedAt,
      last_active: session.lastActiveAt,
      message_count: session.messageCount,
      preview: redact(session.preview),
    }));
  const message =
    results.length === 0 ? "There are no other sessions yet." : "The newest sessions; give a query to search.";
  return answer({ success: true, mode: "recent", results, count: results.length, message });
}

async function found(request: { query: string; count: number; roles: string[] | undefined }, context: CoreToolContext) {
  const hits = await searchSessions(context.store, request.query, {
    // sessions that continue each other count as one, so a few more are fetched
    limit: request.count * 3,
    excludeSessionIds: await currentLineage(context),
    excludeSources: HIDDEN_SOURCES,
    ...(request.roles === undefined ? {} : { roles: request.roles }),
  });
  const chosen = await onePerLineage(hits, request.count, context);
  const results = await Promise.all(chosen.map((hit) => describeHit(hit, context)));
  return answer({
    success: true,
    query: request.query,
    results,
    count: results.length,
    sessions_searched: hits.length,
    ...(results.length === 0 ? { message: "No session matches. Try other words, or fewer." } : {}),
  });
}

async function describeHit({ session, matches }: SessionHit, context: CoreToolContext) {
  const messages = await loadMessages(context.store, session.id);
  const shown = matches.slice(0, HITS_PER_SESSION).map((match) => {
    const at = messages.findIndex((message) => message.seq === match.seq);
    const hit = messages[at];
    return {
      role: match.role,
      when: match.createdAt,
      snippet: redact(match.snippet),
      text: hit === undefined ? "" : describeMessage(hit, MAX_HIT_CHARS),
      before: around(messages, at - AROUND, at),
      after: around(messages, at + 1, at + 1 + AROUND),
    };
  });
  return {
    session_id: session.id,
    title: session.title === null ? null : redact(session.title),
    when: session.startedAt,
    source: session.source,
    model: session.model,
    matches: shown,
  };
}

function around(messages: StoredMessage[], start: number, end: number): string[] {
  return messages
    .slice(Math.max(0, start), Math.max(0, end))
    .map((message) => `${message.message.role}: ${describeMessage(message, MAX_AROUND_CHARS)}`);
}

function describeMessage({ message }: StoredMessage, maxChars: number): string {
  const results = message.parts.filter((part) => part.type === "tool-result").map((part) => part.text);
  const calls = message.parts
    .filter((part) => part.type === "tool-call")
    .map((part) => `[calls ${part.name} ${truncate(part.arguments, 200)}]`);
  // redacted before it is cut: half a secret would not be recognized
  const text = redact([messageText(message), ...calls, ...results].filter((piece) => piece !== "").join("\n"));
  return truncate(text, maxChars);
}

/** Of sessions that continue each other only the best one. */
async function onePerLineage(hits: SessionHit[], count: number, context: CoreToolContext): Promise<SessionHit[]> {
  const chosen: SessionHit[] = [];
  const roots = new Set<string>();
  for (const hit of hits) {
    const lineage = await readLineage(context.store, hit.session.id);
    const root = lineage.at(-1) ?? hit.session.id;
    if (roots.has(root)) continue;
    roots.add(root);
    chosen.push(hit);
    if (chosen.length === count) break;
  }
  return chosen;
}

async function currentLineage(context: CoreToolContext): Promise<string[]> {
  const stored = await readLineage(context.store, context.session.id);
  return [...new Set([context.session.id, ...context.lineage, ...stored])];
}

function toRoles(filter: string | undefined): string[] | undefined {
  const roles = (filter ?? "")
    .split(",")
    .map((role) => role.trim().toLowerCase())
    .filter((role) => role !== "");
  return roles.length === 0 ? undefined : roles;
}
