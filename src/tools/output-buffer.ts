/** Text of any length in bounded memory: the head and the tail are kept, the middle is counted. */
export interface OutputBuffer {
  append(text: string): void;
  /** `droppedAt` is the length of the kept head, defined when something was dropped */
  read(): { text: string; droppedChars: number; droppedAt?: number; totalChars: number };
}

/** The share of a cap that the head gets; the end of an output usually says more. */
export const headShare = 0.4;

/** @param limits UTF-16 units kept of the beginning and of the end */
export function createOutputBuffer(limits: { headChars: number; tailChars: number }): OutputBuffer {
  let head = "";
  let tail = "";
  let totalChars = 0;
  return {
    append(text) {
      totalChars += text.length;
      const room = limits.headChars - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      // cut now and then, not for every piece
      if (tail.length > limits.tailChars * 2 + 65_536) tail = lastChars(tail, limits.tailChars);
    },
    read() {
      const kept = lastChars(tail, limits.tailChars);
      const droppedChars = totalChars - head.length - kept.length;
      if (droppedChars === 0) return { text: head + kept, droppedChars, totalChars };
      return { text: head + kept, droppedChars, droppedAt: head.length, totalChars };
    },
  };
}

/** Splits a cap between head and tail. */
export function splitCap(maxChars: number): { headChars: number; tailChars: number } {
  const headChars = Math.floor(maxChars * headShare);
  return { headChars, tailChars: maxChars - headChars };
}

function lastChars(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(text.length - limit);
}

/** The first `limit` UTF-16 units, never half a surrogate pair. */
export function takeHead(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return isHighSurrogate(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut;
}

/** The last `limit` UTF-16 units, never half a surrogate pair. */
export function takeTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(text.length - limit);
  const first = cut.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? cut.slice(1) : cut;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
