import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { HermesError } from "../base/errors.ts";
import { hermesHome, homePaths } from "../base/paths.ts";
import { processEnvironment } from "../base/env.ts";
import { loadConfig } from "../config/index.ts";
import { redact } from "../base/redact.ts";
import { stripControls, truncate } from "../base/text.ts";
import {
  deleteSession,
  exportSession,
  findSession,
  type ListedSession,
  listSessionIds,
  listSessions,
  loadMessages,
  readSession,
  searchSessions,
  type Session,
  type SessionHit,
  setTitle,
  type StoredMessage,
} from "../session/index.ts";
import { openStore, type Store } from "../store/index.ts";
import { writeExport } from "./export-output.ts";

interface Filter {
  source: string | undefined;
  limit: number;
  json: boolean;
}

/** Runs with the database of this home; undefined when there is none, since looking must not make one. */
async function withStore<Result>(run: (store: Store) => Promise<Result>): Promise<Result | undefined> {
  const path = homePaths(hermesHome()).database;
  if (!existsSync(path)) return undefined;
  // what the settings keep secret is hidden in everything that is printed
  loadConfig({ home: hermesHome(), environment: processEnvironment() });
  const store = await openStore({ path, onWarning: (text) => process.stderr.write(`warning: ${text}\n`) });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

export async function listReport(filter: Filter): Promise<string> {
  const sessions =
    (await withStore((store) =>
      listSessions(store, { limit: filter.limit, ...(filter.source === undefined ? {} : { source: filter.source }) }),
    )) ?? [];
  if (filter.json) return JSON.stringify(sessions.map(toRecord), undefined, 2);
  return sessions.length === 0 ? "No sessions found." : formatList(sessions, new Date());
}

export async function showReport(wanted: string, json: boolean): Promise<string> {
  const found = await withStore(async (store) => {
    const session = await findSession(store, wanted, { follow: false });
    if (session === undefined) return undefined;
    if (json)
      return JSON.stringify(JSON.parse((await Array.fromAsync(exportSession(store, session))).join("")), undefined, 2);
    return formatSession(session, await loadMessages(store, session.id));
  });
  if (found === undefined) throw notFound(wanted);
  return found;
}

export async function searchReport(question: string, filter: Filter): Promise<string> {
  const hits =
    (await withStore((store) =>
      searchSessions(store, question, {
        limit: filter.limit,
        ...(filter.source === undefined ? { excludeSources: ["tool"] } : { sources: [filter.source] }),
      }),
    )) ?? [];
  if (filter.json) {
    const records = hits.map(({ session, score, matches }) => ({ ...toRecord(session), score, matches }));
    return redact(JSON.stringify(records, undefined, 2));
  }
  return hits.length === 0 ? "No sessions found." : hits.map(formatHit).join("\n\n");
}

/** @returns what to tell the user, nothing when the export itself went to stdout */
export async function exportReport(
  target: string,
  filter: { source: string | undefined; sessionId: string | undefined },
): Promise<string | undefined> {
  const count = await withStore(async (store) => {
    const ids = await chooseSessions(store, filter);
    if (ids.length > 0) await writeExport(target, exportLines(store, ids));
    return ids.length;
  });
  if ((count ?? 0) === 0) {
    if (filter.sessionId !== undefined) throw notFound(filter.sessionId);
    throw new HermesError("E_SESSION_NOT_FOUND", "there is no session to export", { hint: "hermes sessions list" });
  }
  return target === "-" ? undefined : `Exported ${count ?? 0} sessions to ${target}`;
}

async function* exportLines(store: Store, ids: string[]): AsyncGenerator<string> {
  for (const id of ids) {
    const session = await readSession(store, id);
    // deleted since it was listed
    if (session === undefined) continue;
    yield* exportSession(store, session);
    yield "\n";
  }
}

export async function deleteReport(wanted: string, confirmed: boolean): Promise<string> {
  const answer = await withStore(async (store) => {
    const session = await findSession(store, wanted);
    if (session === undefined) return undefined;
    if (!confirmed && !(await confirm(`Delete session ${session.id} (${session.messageCount} messages)? [y/N] `))) {
      return "Nothing deleted.";
    }
    const count = await deleteSession(store, session.id);
    return `Deleted session ${session.id}${count > 1 ? ` and ${count - 1} that it continues` : ""}.`;
  });
  if (answer === undefined) throw notFound(wanted);
  return answer;
}

export async function renameReport(wanted: string, words: string[]): Promise<string> {
  const answer = await withStore(async (store) => {
    const session = await findSession(store, wanted, { follow: false });
    if (session === undefined) return undefined;
    const title = await setTitle(store, session.id, words.join(" "));
    return title === null ? `Session ${session.id} has no title now.` : `Session ${session.id} is now "${title}".`;
  });
  if (answer === undefined) throw notFound(wanted);
  return answer;
}

async function chooseSessions(
  store: Store,
  filter: { source: string | undefined; sessionId: string | undefined },
): Promise<string[]> {
  if (filter.sessionId === undefined) {
    return listSessionIds(store, filter.source === undefined ? {} : { source: filter.source });
  }
  const session = await findSession(store, filter.sessionId, { follow: false });
  if (session === undefined) throw notFound(filter.sessionId);
  return [session.id];
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new HermesError("E_USAGE", "nobody is there to confirm the deletion", {
      exitCode: 2,
      hint: "add -y to delete without asking",
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // the end of the input counts as no
    const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    const text = await Promise.race([terminal.question(question), ended]);
    return /^y(es)?$/i.test(text.trim());
  } finally {
    terminal.close();
  }
}

function notFound(wanted: string): HermesError {
  return new HermesError("E_SESSION_NOT_FOUND", `no session "${wanted}", or more than one begins so`, {
    hint: "hermes sessions list shows them",
  });
}

function toRecord(session: Session | ListedSession): Record<string, unknown> {
  const { systemPrompt: _, tools: __, ...rest } = session;
  return rest;
}

function formatList(sessions: ListedSession[], now: Date): string {
  const cell = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
  const active = (session: ListedSession): string => cell(relativeTime(session.lastActiveAt, now), 13);
  if (sessions.some((session) => session.title !== null)) {
    const rows = sessions.map(
      (session) =>
        `${cell(shorten(session.title ?? "—", 30), 32)} ${cell(shorten(session.preview, 38), 40)} ${active(session)} ${session.id}`,
    );
    return [`${cell("Title", 32)} ${cell("Preview", 40)} ${cell("Last Active", 13)} ID`, ...rows].join("\n");
  }
  const rows = sessions.map(
    (session) =>
      `${cell(shorten(session.preview, 48), 50)} ${active(session)} ${cell(session.source, 6)} ${session.id}`,
  );
  return [`${cell("Preview", 50)} ${cell("Last Active", 13)} ${cell("Src", 6)} ID`, ...rows].join("\n");
}

/** Cut at so many columns of a terminal; a wide character takes two. */
function shorten(text: string, columns: number): string {
  const line = safe(text);
  if (Bun.stringWidth(line) <= columns) return line;
  let cut = truncate(line, columns);
  while (Bun.stringWidth(cut) > columns) cut = truncate(cut, cut.length - 1);
  return cut;
}

/** For a terminal: secrets hidden, no control characters. */
function safe(text: string): string {
  return stripControls(redact(text));
}

/** How long ago a moment was, in words; the day itself after a week. */
export function relativeTime(iso: string, now: Date): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "?";
  const seconds = Math.floor((now.getTime() - then) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  if (seconds < 2 * 86_400) return "yesterday";
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)}d ago`;
  return iso.slice(0, 10);
}

function formatHit({ session, matches }: SessionHit): string {
  const head =
    `${session.id}  ${session.source}  ${session.startedAt.slice(0, 10)}  ${safe(session.title ?? "")}`.trimEnd();
  return [head, ...matches.map((match) => `  ${match.role}: ${safe(match.snippet)}`)].join("\n");
}

function formatSession(session: Session, messages: StoredMessage[]): string {
  const head = [
    `Session   ${session.id}`,
    ...(session.title === null ? [] : [`Title     ${safe(session.title)}`]),
    `Source    ${session.source}`,
    `Model     ${session.provider}/${session.model}`,
    `Started   ${session.startedAt}`,
    `Active    ${session.lastActiveAt}`,
    `Messages  ${session.messageCount}`,
    ...(session.parentId === null ? [] : [`Continues ${session.parentId}`]),
  ];
  return [head.join("\n"), ...messages.map(formatMessage)].join("\n\n");
}

function formatMessage({ message }: StoredMessage): string {
  const lines = message.parts.map((part) => {
    if (part.type === "text" || part.type === "tool-result") return part.text;
    if (part.type === "tool-call") return `${part.name} ${part.arguments}`;
    return part.type === "reasoning" ? "" : `[${part.type}]`;
  });
  return `[${message.role}]\n${safe(lines.filter((line) => line !== "").join("\n"))}`;
}
