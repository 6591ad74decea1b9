import { lstatSync, statSync } from "node:fs";
import { ToolError } from "../../base/errors.ts";
import { unifiedDiff } from "../file-diff.ts";
import { checkReplaceable, findMaskedLine } from "../file-save.ts";
import { type Lint, lintChange } from "../file-lint.ts";
import type { FileChange } from "../file-changes.ts";
import { applyEdits, formatTextFile, readTextFile, type TextFile } from "../text-file.ts";
import { planHunks } from "./hunk-edits.ts";
import type { PatchOperation } from "./parse.ts";

/** Everything a patch will do, checked, with nothing done yet. */
export interface StagedPatch {
  changes: FileChange[];
  diffs: string[];
  modified: string[];
  created: string[];
  deleted: string[];
  /** by path */
  lint: Record<string, Lint>;
}

/** Makes a path of a patch absolute. @throws {ToolError} when it must not be touched */
export type PathResolver = (path: string) => string;

/**
 * Works out all operations of a patch on a picture of the files; later operations see what earlier ones did.
 * @throws {ToolError} for the first operation that cannot be done; the system's error for files that cannot be read
 */
export function stagePatch(operations: PatchOperation[], resolvePath: PathResolver): StagedPatch {
  const stage = createStage(resolvePath);
  for (const operation of operations) stageOperation(operation, stage);
  return stage.patch;
}

interface Stage {
  patch: StagedPatch;
  resolve: PathResolver;
  has(path: string): boolean;
  read(path: string): TextFile;
  /** undefined marks a file that will be gone */
  put(path: string, file: TextFile | undefined): void;
  /** what is at `from` will be at `to` */
  rename(from: string, to: string): void;
}

function createStage(resolvePath: PathResolver): Stage {
  const pictures = new Map<string, TextFile | undefined>();
  /** where the bytes of a moved file still are */
  const sources = new Map<string, string>();
  const onDisk = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const has = (path: string): boolean =>
    pictures.has(path) ? pictures.get(path) !== undefined : sources.has(path) || onDisk(path);
  return {
    patch: { changes: [], diffs: [], modified: [], created: [], deleted: [], lint: {} },
    resolve: resolvePath,
    has,
    read: (path) => {
      if (!has(path)) throw new ToolError("E_PATCH_MISSING", `File not found: ${path}`);
      return pictures.get(path) ?? readTextFile(sources.get(path) ?? path);
    },
    put: (path, file) => {
      pictures.set(path, file);
      sources.delete(path);
    },
    rename: (from, to) => {
      const picture = pictures.get(from);
      if (picture === undefined) {
        pictures.delete(to);
        sources.set(to, sources.get(from) ?? from);
      } else pictures.set(to, picture);
      pictures.set(from, undefined);
      sources.delete(from);
    },
  };
}

function stageOperation(operation: PatchOperation, stage: Stage): void {
  switch (operation.kind) {
    case "add":
      stageAdd(operation.path, operation.content, stage);
      break;
    case "delete":
      stageDelete(operation.path, stage);
      break;
    case "move":
      stageMove(operation.path, operation.to, stage);
      break;
    case "update":
      stageUpdate(operation, stage);
  }
}

function stageAdd(written: string, content: string, stage: Stage): void {
  const path = stage.resolve(written);
  if (stage.has(path)) {
    throw new ToolError("E_PATCH_EXISTS", `Add File: ${written} exists already`, { hint: "use Update File" });
  }
  const file: TextFile = { text: content, raw: content, hasBom: false, lineEnding: "\n" };
  stage.put(path, file);
  stage.patch.changes.push({ kind: "write", path, content });
  stage.patch.created.push(path);
  const lint = lintChange(path, undefined, content);
  if (lint !== undefined) stage.patch.lint[path] = lint;
  addDiff(stage, written, "", content);
}

function stageDelete(written: string, stage: Stage): void {
  const path = stage.resolve(written);
  requireFile(written, path, stage);
  stage.put(path, undefined);
  stage.patch.changes.push({ kind: "delete", path });
  stage.patch.deleted.push(path);
  stage.patch.diffs.push(`--- a/${written}\n+++ /dev/null\n`);
}

function stageMove(written: string, target: string, stage: Stage): string {
  const from = stage.resolve(written);
  const to = stage.resolve(target);
  requireFile(written, from, stage);
  if (stage.has(to)) {
    throw new ToolError("E_PATCH_EXISTS", `Move: ${target} exists already`, {
      hint: "delete it first, or choose another",
    });
  }
  stage.rename(from, to);
  stage.patch.changes.push({ kind: "move", path: from, to });
  stage.patch.modified.push(`${from} -> ${to}`);
  stage.patch.diffs.push(`--- a/${written}\n+++ b/${target}\n`);
  return to;
}

function stageUpdate(operation: Extract<PatchOperation, { kind: "update" }>, stage: Stage): void {
  const source = stage.resolve(operation.path);
  if (!stage.has(source)) throw new ToolError("E_PATCH_MISSING", `File not found: ${operation.path}`);
  const before = stage.read(source);
  const after = applyEdits(before, planHunks(operation.path, before.text, operation.hunks));
  const masked = findMaskedLine(before.text, after.text);
  if (masked !== undefined) {
    throw new ToolError("E_PATCH_MASKED", `${operation.path}: a masked secret would replace the real one: ${masked}`, {
      hint: "leave that line out of the patch",
    });
  }
  const path = operation.moveTo === undefined ? source : stageMove(operation.path, operation.moveTo, stage);
  if (operation.hunks.length === 0) return;
  if (path === source) checkReplaceable(source);
  stage.put(path, after);
  stage.patch.changes.push({ kind: "write", path, content: formatTextFile(after) });
  if (path === source && !stage.patch.modified.includes(path)) stage.patch.modified.push(path);
  const lint = lintChange(path, before.text, after.text);
  if (lint !== undefined) stage.patch.lint[path] = lint;
  addDiff(stage, operation.moveTo ?? operation.path, before.text, after.text);
}

function requireFile(written: string, path: string, stage: Stage): void {
  if (!stage.has(path)) throw new ToolError("E_PATCH_MISSING", `File not found: ${written}`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new ToolError("E_FILE_KIND", `${written} is a directory`);
  }
}

function addDiff(stage: Stage, path: string, before: string, after: string): void {
  const diff = unifiedDiff(path, before, after);
  if (diff !== undefined) stage.patch.diffs.push(diff);
}
