/** Replaces every lone UTF-16 surrogate by U+FFFD, so that the text has a UTF-8 form. */
export function toWellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Rough tokens: a quarter of the characters, CJK characters counted whole. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) >= 0x2e80) wide += 1;
  }
  return Math.ceil((text.length - wide) / 4 + wide);
}

/** At most `limit` UTF-16 units, never ending in half a surrogate pair; "…" marks a cut. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, Math.max(0, limit - 1));
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Text on one line for previews: runs of white space become one blank. */
export function oneLine(text: string, limit = 80): string {
  return truncate(text.replace(/\s+/g, " ").trim(), limit);
}

/** Drops control characters (escape sequences and changes of writing direction included) but keeps tab and newline. */
export function stripControls(text: string): string {
  return text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu,
      "",
    );
}
