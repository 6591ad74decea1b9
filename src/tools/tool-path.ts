import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readEnv } from "../base/env.ts";
import { expandTilde, userHome } from "../base/paths.ts";
import { judgePath, type Place } from "../guard/index.ts";
import type { CoreToolContext } from "./context.ts";
import type { FileStamp } from "./file-state.ts";

/** A path that may be used, or the answer that says why not. */
export type ToolPath = { ok: true; path: string; resolved: string } | { ok: false; error: string; hint?: string };

/** Makes a path of the model absolute (working directory of the session, `~`) and asks the guard. */
export function judgeToolPath(
  written: string,
  access: "read" | "write",
  context: Pick<CoreToolContext, "cwd" | "home">,
): ToolPath {
  if (written.trim() === "") return { ok: false, error: "path is empty", hint: "name a file" };
  if (written.includes("\0")) return { ok: false, error: "path contains a NUL character" };
  const path = resolve(context.cwd, expandTilde(written));
  const verdict = judgePath(path, access, toPlace(context));
  if (verdict.allowed) return { ok: true, path, resolved: verdict.resolved };
  const error = `Access denied: ${written}: ${verdict.reason ?? `may not ${access}`}`;
  return { ok: false, error, ...(verdict.hint === undefined ? {} : { hint: verdict.hint }) };
}

function toPlace({ cwd, home }: Pick<CoreToolContext, "cwd" | "home">): Place {
  const roots = readEnv("HERMES_WRITE_SAFE_ROOT")
    ?.split(":")
    .filter((root) => root.trim() !== "");
  return {
    cwd,
    home,
    userHome: userHome(),
    ...(roots === undefined ? {} : { writeRoots: roots.map((root) => expandTilde(root)) }),
  };
}

/** The stamp of a file, undefined when there is none. @throws the system's error, like EACCES */
export function readStamp(path: string): FileStamp | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : { mtimeNs: stat.mtimeNs, sizeBytes: stat.size, inode: stat.ino };
}
