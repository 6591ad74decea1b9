import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";

/** The directory itself, or the nearest one above it that still exists; the temporary directory last. */
export function existingDirectory(path: string): string {
  for (let current = path; ; current = dirname(current)) {
    if (isDirectory(current)) return current;
    if (current === dirname(current)) return tmpdir();
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // what cannot be looked at is no place to work in
    return false;
  }
}

/** True for two spellings of one directory, over links. */
export function isSameDirectory(left: string, right: string): boolean {
  if (left === right) return true;
  try {
    return realpathSync(left) === realpathSync(right);
  } catch {
    // one of them is gone: then they are two
    return false;
  }
}
