import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularFile } from "../base/fs.ts";
import { redact } from "../base/redact.ts";
import { judgePath, type Place, scanInjection } from "../guard/index.ts";

/** One context file, ready for the prompt. */
export interface ContextFile {
  /** shown as its heading */
  name: string;
  text: string;
}

export interface ContextFiles {
  files: ContextFile[];
  /** what a person should know: blocked, cut or unreadable files */
  warnings: string[];
}

const limitChars = 20_000;
const headChars = 14_000;
const tailChars = 4_000;
const readLimitBytes = 1024 * 1024;

/** Cuts a file above 20,000 characters to its first 14,000 and last 4,000. */
export function capText(text: string, name: string): string {
  if (text.length <= limitChars) return text;
  const kept = headChars + tailChars;
  const marker = `[... ${name}: ${kept} of ${text.length} characters shown; read the file for the rest ...]`;
  return `${text.slice(0, headChars)}\n\n${marker}\n\n${text.slice(-tailChars)}`;
}

/** Text of a file from outside, or the notice that it was blocked. */
export function screenText(text: string, name: string): { text: string; warning?: string } {
  const findings = scanInjection(text);
  if (findings.length === 0) return { text };
  const ids = findings.map((finding) => finding.id).join(", ");
  return {
    text: `[BLOCKED: ${name} looks like prompt injection (${ids}); its content was not loaded]`,
    warning: `${name} was not loaded: it looks like prompt injection (${ids})`,
  };
}

/** The first family of project context files found from `cwd`. */
export function findContextFiles(place: Place): ContextFiles {
  const { cwd } = place;
  const families = [
    () => hermesFile(cwd),
    () => firstOf(cwd, ["AGENTS.md", "agents.md"]),
    () => firstOf(cwd, ["CLAUDE.md", "claude.md"]),
    () => cursorFiles(cwd),
  ];
  for (const family of families) {
    const paths = family();
    if (paths.length > 0) return loadFiles(paths, place);
  }
  return { files: [], warnings: [] };
}

function loadFiles(paths: string[], place: Place): ContextFiles {
  const { cwd } = place;
  const files: ContextFile[] = [];
  const warnings: string[] = [];
  for (const path of paths) {
    const name = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : basename(path);
    const verdict = judgePath(path, "read", place);
    if (!verdict.allowed) {
      warnings.push(`${name} was not loaded: ${verdict.reason ?? "it is protected"}`);
      continue;
    }
    const raw = readText(path);
    if (raw === undefined) {
      warnings.push(`${name} could not be read`);
      continue;
    }
    const body = basename(path).toLowerCase().includes("hermes") ? dropFrontMatter(raw) : raw;
    if (body.trim() === "") continue;
    const screened = screenText(body.trim(), name);
    if (screened.warning !== undefined) warnings.push(screened.warning);
    files.push({ name, text: capText(redact(screened.text), name) });
  }
  return { files, warnings };
}

/** `.hermes.md` or `HERMES.md` in cwd or above, up to the root of its git repository; outside of one only in cwd. */
function hermesFile(cwd: string): string[] {
  const root = gitRoot(cwd) ?? cwd;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = firstOf(folder, [".hermes.md", "HERMES.md"]);
    if (found.length > 0 || folder === root || dirname(folder) === folder) return found;
  }
}

function gitRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function firstOf(folder: string, names: string[]): string[] {
  const found = names
    .map((name) => join(folder, name))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
  return found === undefined ? [] : [found];
}

function cursorFiles(cwd: string): string[] {
  const rules = join(cwd, ".cursor", "rules");
  const listed = existsSync(rules)
    ? readdirSync(rules)
        .filter((name) => name.endsWith(".mdc"))
        .sort()
    : [];
  return [...firstOf(cwd, [".cursorrules"]), ...listed.map((name) => join(rules, name))];
}

function readText(path: string): string | undefined {
  try {
    return readRegularFile(path, readLimitBytes).toString("utf8").toWellFormed();
  } catch {
    // an unreadable context file is reported as a warning by the caller
    return undefined;
  }
}

function dropFrontMatter(text: string): string {
  const match = /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text);
  if (match === null) return text;
  const rest = text.slice(match[0].length);
  return rest.trim() === "" ? text : rest;
}
