/**
 * Session search over many messages: `bun bench/search.ts [messages=1000000] [questions=200] [folder]`.
 * With a folder the database is kept there and used again. The bar: p95 at most 50 ms.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, indexPending, searchSessions } from "../src/session/index.ts";
import { messageWrite, toStored } from "../src/session/messages.ts";
import { toSessionRow } from "../src/session/rows.ts";
import type { NewMessage } from "../src/session/types.ts";
import { insertSession, openStore, type Store } from "../src/store/index.ts";
import { type Corpus, createCorpus, createRandom, type Random } from "./store-corpus.ts";

const BAR_MS = 50;
const PER_SESSION = 40;

async function fill(store: Store, count: number, corpus: Corpus, random: Random): Promise<void> {
  const start = Date.parse("2024-01-01T00:00:00Z");
  for (let done = 0; done < count; done += PER_SESSION) {
    const now = new Date(start + done * 60_000);
    const session = await createSession(store, {
      source: "cli",
      model: "model",
      provider: "provider",
      cwd: "/",
      now: () => now,
    });
    const isChinese = random() < 0.3;
    const messages = Array.from({ length: PER_SESSION }, (_, index) => makeMessage(index, isChinese, corpus, random));
    const row = { ...toSessionRow(session), message_count: messages.length };
    await store.write([
      insertSession(row),
      ...toStored(messages, 0, now).map((message) => messageWrite(session.id, message)),
    ]);
  }
}

function makeMessage(index: number, isChinese: boolean, corpus: Corpus, random: Random): NewMessage {
  const length = 5 + Math.floor(random() ** 2 * 80);
  const text = isChinese ? corpus.chinese(length) : corpus.english(length);
  if (index % 5 === 3) {
    return {
      message: { role: "tool", parts: [{ type: "tool-result", callId: `call_${index}`, name: "terminal", text }] },
    };
  }
  return { message: { role: index % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text }] } };
}

function makeQuestion(isChinese: boolean, corpus: Corpus, random: Random): string {
  const words = Array.from({ length: 2 + Math.floor(random() * 3) }, () =>
    isChinese ? corpus.chineseWord() : corpus.englishWord(),
  );
  return isChinese
    ? `上次我们是怎么解决${words.join("的")}的问题的？`
    : `how did we fix the ${words.join(" ")} problem last time?`;
}

async function measure(store: Store, questions: string[]): Promise<{ p50: number; p95: number; found: number }> {
  const times: number[] = [];
  let found = 0;
  for (const question of questions) {
    const start = performance.now();
    const hits = await searchSessions(store, question);
    times.push(performance.now() - start);
    if (hits.length > 0) found += 1;
  }
  times.sort((left, right) => left - right);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), found };
}

/** Prints rates of storing and indexing, and p50 and p95 of a search. `kept` is a folder that is used again. */
export async function run(count = 1_000_000, questionCount = 200, kept?: string): Promise<void> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), "hermes-bench-search-"));
  const path = join(folder, "hermes.db");
  const isFilled = existsSync(path);
  const random = createRandom(7);
  const corpus = createCorpus(random);
  const store = await openStore({ path });
  try {
    if (!isFilled) {
      const start = performance.now();
      await fill(store, count, corpus, random);
      const stored = performance.now();
      await indexPending(store);
      const indexed = performance.now();
      const rate = (ms: number): string => `${Math.round((count / ms) * 1000)} messages/s`;
      console.log(`stored   ${count} messages, ${rate(stored - start)}`);
      console.log(`indexed  ${rate(indexed - stored)}`);
    }
    console.log(`size     ${Math.round(statSync(path).size / 1_000_000)} MB`);
    const asker = createRandom(11);
    for (const language of ["english", "chinese"] as const) {
      const questions = Array.from({ length: questionCount }, () =>
        makeQuestion(language === "chinese", corpus, asker),
      );
      const { p50, p95, found } = await measure(store, questions);
      const ratio = (p95 / BAR_MS).toFixed(2);
      console.log(
        `${language.padEnd(8)} p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${ratio} of the bar, ${found}/${questionCount} answered`,
      );
    }
  } finally {
    await store.close();
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [count, questions, kept] = process.argv.slice(2);
  await run(
    count === undefined ? undefined : Number(count),
    questions === undefined ? undefined : Number(questions),
    kept,
  );
}
