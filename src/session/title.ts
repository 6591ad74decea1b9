import { StoreError } from "../base/errors.ts";

const MAX_TITLE = 100;
const INVISIBLE = /[\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFC\uFFF9-\uFFFB]/g;

/**
 * A title on one line without control and invisible characters; null when nothing is left.
 * @throws {StoreError} E_SESSION_TITLE above 100 UTF-16 units
 */
export function sanitizeTitle(text: string): string | null {
  const title = text
    .toWellFormed()
    .replace(INVISIBLE, "")
    .replace(/[\t\n\r]/g, " ")
    .replace(/[\u0000-\u001F\u007F-\u009F]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (title.length > MAX_TITLE) {
    throw new StoreError("E_SESSION_TITLE", `the title has ${title.length} characters, at most ${MAX_TITLE} fit`, {
      hint: "choose a shorter title",
      exitCode: 2,
    });
  }
  return title === "" ? null : title;
}

/** `X #3` is base `X` and number 3; a title without such an end is its own base. */
export function splitTitle(title: string): { base: string; number: number | undefined } {
  const [, base, digits] = /^(.+) #(\d+)$/.exec(title) ?? [];
  return base === undefined ? { base: title, number: undefined } : { base, number: Number(digits) };
}

/** The title for a continuation: the base itself when it is free, else the number after the highest one in use. */
export function nextTitle(wanted: string, taken: string[]): string {
  const { base } = splitTitle(wanted);
  const numbers = taken
    .map(splitTitle)
    .filter((title) => title.base === base)
    .map((title) => title.number ?? 1);
  return numbers.length === 0 ? base : `${base} #${Math.max(...numbers) + 1}`;
}
