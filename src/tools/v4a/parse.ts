import { ToolError } from "../../base/errors.ts";

export interface HunkLine {
  kind: "context" | "remove" | "add";
  text: string;
}

export interface Hunk {
  /** text of a line near the change, from the `@@` line */
  hint?: string;
  lines: HunkLine[];
}

export type PatchOperation =
  | { kind: "update"; path: string; moveTo?: string; hunks: Hunk[] }
  | { kind: "add"; path: string; content: string }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; to: string };

interface Section {
  kind: "Update" | "Add" | "Delete" | "Move";
  path: string;
  lines: string[];
}

const header = /^\*\*\*\s*(Update|Add|Delete|Move)\s+File\s*:\s*(.*?)\s*$/;
const ending = /^\*\*\*\s*End\s+Patch\s*$/;
const moveTo = /^\*\*\*\s*Move\s+to\s*:\s*(.*?)\s*$/;
const endOfFile = /^\*\*\*\s*End\s+of\s+File\s*$/;

/**
 * Reads a patch in the V4A format.
 * @returns at least one operation, in the order written
 * @throws {ToolError} E_PATCH_FORMAT naming the line that cannot be understood
 */
export function parsePatch(text: string): PatchOperation[] {
  const operations = splitSections(text).map(toOperation);
  if (operations.length === 0) {
    throw formatError(
      "the patch has no operations",
      "start each file with *** Update File: <path>, or Add, Delete, Move",
    );
  }
  return operations;
}

function formatError(message: string, hint: string): ToolError {
  return new ToolError("E_PATCH_FORMAT", message, { hint });
}

function splitSections(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split("\n").map((part) => part.replace(/\r$/, ""))) {
    if (ending.test(line)) break;
    const match = header.exec(line);
    if (match === null) {
      // what stands before the first header is talk
      sections.at(-1)?.lines.push(line);
      continue;
    }
    const path = match[2] ?? "";
    if (path === "") throw formatError(`no path after "${line}"`, "write the path behind the colon");
    sections.push({ kind: match[1] as Section["kind"], path, lines: [] });
  }
  return sections;
}

function toOperation(section: Section): PatchOperation {
  if (section.kind === "Update") return toUpdate(section);
  if (section.kind === "Add") return { kind: "add", path: section.path, content: toContent(section) };
  refuseLines(section);
  return section.kind === "Delete" ? { kind: "delete", path: section.path } : toMove(section);
}

function toMove(section: Section): PatchOperation {
  const [from, to, ...more] = section.path.split(/\s+->\s+/);
  if (from === undefined || to === undefined || more.length > 0 || to === "") {
    throw formatError(`"${section.path}" does not say where to move`, "write *** Move File: <from> -> <to>");
  }
  return { kind: "move", path: from, to };
}

function refuseLines(section: Section): void {
  const line = section.lines.find((text) => text.trim() !== "");
  if (line === undefined) return;
  throw formatError(
    `${section.kind} File: ${section.path} is followed by text: ${line}`,
    "leave it out, or use Update File to change the content",
  );
}

function toContent(section: Section): string {
  const lines = withoutBlankEnd(section.lines).filter((line) => !endOfFile.test(line));
  return lines
    .map((line) => {
      if (line.startsWith("+")) return line.slice(1);
      if (line === "") return "";
      throw formatError(`Add File: ${section.path}: a line does not start with +: ${line}`, "put + before every line");
    })
    .join("\n");
}

function toUpdate(section: Section): PatchOperation {
  const hunks: Hunk[] = [];
  let target: string | undefined;
  for (const line of section.lines) {
    const moved = moveTo.exec(line)?.[1];
    if (moved !== undefined && moved !== "" && hunks.length === 0) {
      target = moved;
      continue;
    }
    if (line.startsWith("@@")) {
      const hint = line
        .replace(/^@@\s?/, "")
        .replace(/\s*@@\s*$/, "")
        .trim();
      hunks.push(hint === "" ? { lines: [] } : { hint, lines: [] });
      continue;
    }
    if (line.startsWith("\\ No newline") || endOfFile.test(line)) continue;
    if (hunks.length === 0) {
      if (line.trim() === "") continue;
      hunks.push({ lines: [] });
    }
    hunks.at(-1)?.lines.push(toHunkLine(line));
  }
  const full = hunks.map(withoutBlankTail).filter((hunk) => hunk.lines.length > 0);
  if (full.length === 0 && target === undefined) {
    throw formatError(`Update File: ${section.path} changes nothing`, "add lines that start with - and +");
  }
  return { kind: "update", path: section.path, ...(target === undefined ? {} : { moveTo: target }), hunks: full };
}

function toHunkLine(line: string): HunkLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "add", text };
  if (line.startsWith("-")) return { kind: "remove", text };
  return { kind: "context", text: line.startsWith(" ") ? text : line };
}

/** Empty lines between a hunk and what follows it are layout, not context. */
function withoutBlankTail(hunk: Hunk): Hunk {
  const end = hunk.lines.findLastIndex((line) => line.kind !== "context" || line.text !== "") + 1;
  return { ...hunk, lines: hunk.lines.slice(0, end) };
}

function withoutBlankEnd(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
