import { basename, dirname } from "node:path";
import { absolutePath, hermesHomes, isEnvironmentFile, realPath } from "../path-classes.ts";
import type { Argument } from "./argument.ts";
import type { Scope } from "./scope.ts";

const processMemory = /\/proc\/[^/\s]+\/(?:task\/[^/\s]+\/)?(?:environ|mem|auxv)/;

/** Asks before a command that names the agent's own secrets, or the environment of a process, in clear or by a pattern. */
export function checkSecretRead(word: Argument, scope: Scope): void {
  const text = word.value ?? word.text;
  if (processMemory.test(text)) {
    scope.findings.ask("read of process environment", `reads ${word.text}`);
    return;
  }
  if (word.value === undefined || word.value.startsWith("-") || word.value.includes("\0")) return;
  const homes = hermesHomes(scope.place).map((home) => home.toLowerCase());
  const written = absolutePath(word.value, scope.place);
  for (const path of new Set([written, word.glob ? written : realPath(word.value, scope.place)])) {
    if (!homes.includes(dirname(path).toLowerCase())) continue;
    if (word.glob ? couldBeSecret(basename(path)) : isSecretFile(path)) {
      scope.findings.ask("read of the agent's secrets", `names ${word.text}`);
      return;
    }
  }
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
