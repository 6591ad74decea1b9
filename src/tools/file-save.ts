import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolError } from "../base/errors.ts";
import { writeFileAtomic } from "../base/fs.ts";
import { hermesHome } from "../base/paths.ts";
import { redact } from "../base/redact.ts";

/**
 * Replaces a file as a whole, creating its folders. An existing file keeps its mode, a symlink its target;
 * a new one in the hermes home is private.
 * @returns true when folders were created
 * @throws {ToolError} E_FILE_KIND, E_FILE_READ_ONLY; the system's error otherwise, the old file is then untouched
 */
export function saveFile(path: string, content: string): boolean {
  checkReplaceable(path);
  const isPrivate = isInHermesHome(path);
  const madeDirectory = mkdirSync(dirname(path), { recursive: true, ...(isPrivate ? { mode: 0o700 } : {}) });
  writeFileAtomic(path, content, { mode: isPrivate ? 0o600 : 0o666 & ~process.umask() });
  return madeDirectory !== undefined;
}

/** Memories, skills and settings are nobody else's business. */
function isInHermesHome(path: string): boolean {
  const home = hermesHome();
  const real = existsSync(home) ? realpathSync(home) : home;
  return [home, real].some((folder) => path.startsWith(`${folder}/`));
}

/** @throws {ToolError} when what is at the path must not be replaced by a file */
export function checkReplaceable(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) throw new ToolError("E_FILE_KIND", `${path} is a directory`);
  if (!stat.isFile()) throw new ToolError("E_FILE_KIND", `${path} is a device, pipe or socket`);
  if ((stat.mode & 0o222) === 0) {
    throw new ToolError("E_FILE_READ_ONLY", `${path} is read-only`, {
      hint: "ask the user, or make it writable with chmod u+w first",
    });
  }
}

/**
 * The first line of `after` that is a masked copy of a line of `before`: a secret as it is shown, about to be written
 * over the real one.
 */
export function findMaskedLine(before: string, after: string): string | undefined {
  if (redact(before) === before) return undefined;
  const known = new Set(before.split("\n").map((line) => line.trim()));
  const masked = new Set(
    [...known].map((line) => redact(line)).filter((line) => !known.has(line) && /\*{3}|\.\.\.|\[REDACTED/.test(line)),
  );
  return after
    .split("\n")
    .map((line) => line.trim())
    .find((line) => masked.has(line));
}
