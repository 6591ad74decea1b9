import { basename, dirname } from "node:path";
import { absolutePath, hermesHomes, isEnvironmentFile } from "../path-classes.ts";
import type { Argument } from "./argument.ts";
import { type Scope, scopedRealPath } from "./scope.ts";

const processMemory = /\/proc\/[^/\s]+\/(?:task\/[^/\s]+\/)?(?:environ|mem|auxv)/;

/** Asks before a command that names the agent's own secrets, or the environment of a process, in clear or by a pattern. */
export function checkSecretRead(word: Argument, scope: Scope): void {
  const text = word.value ?? word.text;
  if (processMemory.test(text)) {
    scope.findings.ask("read of process environment", `reads ${word.text}`);
    return;
  }
  if (word.value === undefined || word.value.includes("\0")) return;
  for (const value of pathsIn(word.value)) checkPath({ ...word, value }, scope);
}

/** The word itself, and what stands behind `@` or `=` in it: `@file`, `name=@file`, `if=file`. */
function pathsIn(value: string): string[] {
  const inner = /(?:^@|=@?)(.+)$/.exec(value)?.[1];
  return [...(value.startsWith("-") ? [] : [value]), ...(inner === undefined ? [] : [inner])];
}

function checkPath(word: Argument & { value: string }, scope: Scope): void {
  const homes = hermesHomes(scope.place).map((home) => home.toLowerCase());
  const written = absolutePath(word.value, scope.place);
  for (const path of new Set([written, word.glob ? written : scopedRealPath(word.value, scope)])) {
    if (isCredential(path, scope.place.userHome)) {
      scope.findings.ask("read of credentials", `names ${word.text}`);
      return;
    }
    if (!homes.includes(dirname(path).toLowerCase())) continue;
    if (word.glob ? couldBeSecret(basename(path)) : isSecretFile(path)) {
      scope.findings.ask("read of the agent's secrets", `names ${word.text}`);
      return;
    }
  }
}

const credentials =
  /^\/(?:\.ssh\/id_[^/]*(?<!\.pub)|\.aws\/credentials|\.netrc|\.pgpass|\.gnupg(?:\/.*)?|\.kube\/config|\.docker\/config\.json|\.config\/gh\/hosts\.yml)$/i;

function isCredential(path: string, userHome: string): boolean {
  return path.startsWith(`${userHome}/`) && credentials.test(path.slice(userHome.length));
}

function isSecretFile(path: string): boolean {
  return isEnvironmentFile(path) || basename(path).toLowerCase() === "auth.json";
}

/** A pattern that may match `.env` or `auth.json`: its plain start fits one of them. */
function couldBeSecret(pattern: string): boolean {
  const start = pattern.split(/[*?[{(]/)[0] ?? "";
  return (
    [".env", "auth.json"].some((name) => name.startsWith(start)) &&
    (start !== "" || pattern.startsWith("?") || pattern.startsWith("["))
  );
}
