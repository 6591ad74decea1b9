import { extname } from "node:path";
import { errorMessage } from "../base/errors.ts";

/** A fault that a change brought into a file. */
export interface Lint {
  status: "error";
  message: string;
}

/**
 * Checks what was written, for kinds of files that can be checked here: JSON.
 * @param before the text before the change, undefined for a new file
 * @returns undefined when all is well, or when the file was at fault before
 */
export function lintChange(path: string, before: string | undefined, after: string): Lint | undefined {
  if (extname(path).toLowerCase() !== ".json") return undefined;
  const fault = jsonFault(after);
  // a file with comments was never strict JSON
  if (fault === undefined || (before !== undefined && jsonFault(before) !== undefined)) return undefined;
  return { status: "error", message: `The file is no valid JSON any more: ${fault}` };
}

function jsonFault(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // that it does not parse is the answer
    return errorMessage(error);
  }
}
