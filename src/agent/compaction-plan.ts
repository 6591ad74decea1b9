import { messageToolCalls } from "../plugin/message.ts";
import { estimateMessageTokens } from "../models/index.ts";
import type { StoredMessage } from "../session/index.ts";
import type { CompactionSettings } from "./types.ts";

/** Where a history is cut: [0, head) and [tail, end) stay verbatim, the middle is summarized. */
export interface CompactionPlan {
  head: number;
  tail: number;
}

const messageOverhead = 10;

/** Tokens at which a context of this size is compacted. */
export function compactionThreshold(contextTokens: number, settings: CompactionSettings): number {
  return Math.floor(contextTokens * settings.threshold);
}

/**
 * Chooses what is summarized. No tool group is split, and the newest user message is always in the tail.
 * @returns undefined when there is nothing to gain
 */
export function planCompaction(
  messages: StoredMessage[],
  thresholdTokens: number,
  settings: CompactionSettings,
): CompactionPlan | undefined {
  if (messages.length <= settings.protectFirst + 1) return undefined;
  let head = settings.protectFirst;
  while (head < messages.length && messages[head]?.message.role === "tool") head += 1;

  const ratio = Math.min(0.8, Math.max(0.1, settings.targetRatio));
  const budget = Math.floor(thresholdTokens * ratio);
  let tail = messages.length;
  let used = 0;
  while (tail > head) {
    const entry = messages[tail - 1];
    if (entry === undefined) break;
    const cost = estimateMessageTokens(entry.message) + messageOverhead;
    const kept = messages.length - tail;
    // the floor of kept messages may go over the budget, but never so far that nothing is gained
    const over = used + cost > budget;
    if (over && (kept >= settings.protectLast || used + cost > thresholdTokens / 2)) break;
    used += cost;
    tail -= 1;
  }
  tail = Math.min(tail, messages.length - 1);
  if (tail <= head) tail = Math.max(head, messages.length - settings.protectLast);
  const newestUser = messages.findLastIndex((entry) => entry.message.role === "user" && entry.message.parts.length > 0);
  if (newestUser >= head && newestUser < tail && fits(messages, newestUser, tail, thresholdTokens / 2))
    tail = newestUser;
  tail = beforeGroup(messages, tail);
  return tail - head < 2 ? undefined : { head, tail };
}

function fits(messages: StoredMessage[], from: number, to: number, limit: number): boolean {
  return messages.slice(from, to).reduce((sum, entry) => sum + estimateMessageTokens(entry.message), 0) <= limit;
}

/** Moves a cut backward so that it does not fall between a call and its results. */
function beforeGroup(messages: StoredMessage[], cut: number): number {
  let moved = cut;
  while (moved > 0 && messages[moved]?.message.role === "tool") moved -= 1;
  const entry = messages[moved];
  return moved !== cut && entry !== undefined && messageToolCalls(entry.message).length === 0 ? cut : moved;
}
