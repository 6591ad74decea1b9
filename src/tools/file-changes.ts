import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorMessage, ToolError } from "../base/errors.ts";
import { maxEditableBytes } from "./text-file.ts";
import { writeFileAtomic, readRegularFile } from "../base/fs.ts";
import { saveFile } from "./file-save.ts";

/** One change on the disk; paths are absolute. */
export type FileChange =
  | { kind: "write"; path: string; content: string }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; to: string };

interface Done {
  undo(): void;
  /** what can only be done when everything else is done */
  finish?(): void;
}

/**
 * Makes all changes in order, or none: when one fails, those before it are taken back.
 * @throws the error of the change that failed
 */
export function commitChanges(changes: FileChange[]): void {
  const done: Done[] = [];
  try {
    for (const change of changes) done.push(makeChange(change));
  } catch (error) {
    const left = takeBack(done);
    if (left.length === 0) throw error;
    throw new ToolError(
      "E_PATCH_UNDO",
      `${errorMessage(error)}; taking back earlier changes failed: ${left.join("; ")}`,
      {
        cause: error,
        hint: "check the files named in the patch",
      },
    );
  }
  for (const change of done) change.finish?.();
}

function takeBack(done: Done[]): string[] {
  const faults: string[] = [];
  for (const change of done.toReversed()) {
    try {
      change.undo();
    } catch (error) {
      // the others can still be taken back; the caller reports this one
      faults.push(errorMessage(error));
    }
  }
  return faults;
}

function makeChange(change: FileChange): Done {
  if (change.kind === "write") return write(change.path, change.content);
  return change.kind === "delete" ? remove(change.path) : move(change.path, change.to);
}

function write(path: string, content: string): Done {
  const old = existsSync(path) ? readRegularFile(path, maxEditableBytes) : undefined;
  const undoFolders = makeFolders(path);
  try {
    saveFile(path, content);
  } catch (error) {
    undoFolders();
    throw error;
  }
  return {
    undo: () => {
      if (old === undefined) rmSync(path, { force: true });
      else writeFileAtomic(path, old);
      undoFolders();
    },
  };
}

/** Set aside first, so that it can come back. */
function remove(path: string): Done {
  const aside = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString("hex")}.deleted`);
  renameSync(path, aside);
  return { undo: () => renameSync(aside, path), finish: () => rmSync(aside, { force: true }) };
}

function move(path: string, to: string): Done {
  const undoFolders = makeFolders(to);
  try {
    renameSync(path, to);
  } catch (error) {
    undoFolders();
    throw error;
  }
  return {
    undo: () => {
      renameSync(to, path);
      undoFolders();
    },
  };
}

/** @returns removes the folders that had to be made */
function makeFolders(path: string): () => void {
  const first = mkdirSync(dirname(path), { recursive: true });
  return () => {
    if (first !== undefined) rmSync(first, { recursive: true, force: true });
  };
}
