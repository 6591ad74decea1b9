import type { TurnOutcome, Usage } from "../plugin/events.ts";
import type { Message } from "../plugin/message.ts";
import type { ToolSpec } from "../plugin/provider.ts";
import type { Write } from "../store/index.ts";

/** One session as stored. Times are ISO 8601 in UTC. */
export interface Session {
  id: string;
  source: string;
  title: string | null;
  model: string;
  provider: string;
  /** sent byte for byte with every request until compaction; null before the first turn */
  systemPrompt: string | null;
  /** the frozen tool list; null before the first turn */
  tools: ToolSpec[] | null;
  /** the session this one continues, null for a fresh one */
  parentId: string | null;
  /** absolute working directory */
  cwd: string;
  startedAt: string;
  lastActiveAt: string;
  endedAt: string | null;
  endReason: string | null;
  messageCount: number;
  toolCallCount: number;
  usage: Usage;
  costUsd: number | null;
}

export interface NewMessage {
  message: Message;
  /** what recall, plugins and notes added to this message: replayed verbatim, hidden from display and search */
  context?: string;
  /** a copy of an earlier message or machinery of the loop: never indexed for search */
  unsearchable?: boolean;
}

export interface StoredMessage extends NewMessage {
  /** position in the session, from 1, without gaps at write time */
  seq: number;
  createdAt: string;
}

/** What closes a turn. */
export interface TurnEnd {
  outcome: TurnOutcome;
  usage: Usage;
  costUsd: number | null;
  modelCalls: number;
  toolCalls: number;
  /** prompt tokens of the last model call, as reported; null when unknown */
  lastPromptTokens: number | null;
  error?: string;
  /** rows of the face, committed in the same batch */
  writes?: Write[];
}

/** A turn under way: holds the session's lease; every batch is fenced with it. */
export interface Turn {
  readonly id: string;
  /** changes when the session is continued after compaction */
  readonly session: Session;
  /** fires when the lease was lost to another process */
  readonly lost: AbortSignal;
  /** Stores messages and resolves when they are committed. @throws {StoreError} */
  append(messages: NewMessage[]): Promise<StoredMessage[]>;
  /** Stores the prompt and the tool list of the session; called once, before the first request. */
  freeze(systemPrompt: string, tools: ToolSpec[]): Promise<void>;
  /** Records another model for the session. */
  setModel(model: string, provider: string): Promise<void>;
  setCwd(cwd: string): Promise<void>;
  /**
   * Compaction: ends this session with reason `compression` and goes on in a child of it, in one batch.
   * The old session keeps all its messages.
   */
  continueAs(next: { systemPrompt: string; tools: ToolSpec[]; messages: NewMessage[] }): Promise<StoredMessage[]>;
  close(end: TurnEnd): Promise<void>;
}

/** A session found by a question, best first. */
export interface SessionHit {
  session: Session;
  score: number;
  /** the best messages inside, in order of rank */
  matches: {
    seq: number;
    role: string;
    /** at most 240 UTF-16 units around the hit, hits marked `>>>hit<<<` */
    snippet: string;
    createdAt: string;
  }[];
}
