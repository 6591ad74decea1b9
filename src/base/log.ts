import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createConsola, type ConsolaInstance } from "consola/core";
import { redact } from "./redact.ts";
import type { Clock } from "./time.ts";

/** Lines for logs/hermes.log, redacted. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const rotateBytes = 2 * 1024 * 1024;
const levels = { debug: 4, info: 3, warn: 1 };

/**
 * A log that appends to a file (0600) and moves it to `<path>.1` above 2 MiB.
 * A log that cannot be written never stops the work: the first failure goes to `onFailure`.
 */
export function createFileLog(options: {
  path: string;
  clock: Clock;
  level?: keyof typeof levels;
  onFailure?: (error: unknown) => void;
}): Log {
  let broken = false;
  const write = (type: string, words: unknown[]): void => {
    if (broken) return;
    const text = redact(words.map(String).join(" ")).replaceAll("\n", "\\n");
    try {
      rotate(options.path);
      appendFileSync(options.path, `${options.clock.now().toISOString()} ${type} ${text}\n`, { mode: 0o600 });
    } catch (error) {
      broken = true;
      options.onFailure?.(error);
    }
  };
  const logger: ConsolaInstance = createConsola({
    level: levels[options.level ?? "info"],
    reporters: [{ log: (entry) => write(entry.type, entry.args) }],
  });
  return {
    debug: (message) => logger.debug(message),
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    error: (message) => logger.error(message),
  };
}

function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  else if (size > rotateBytes) renameSync(path, `${path}.1`);
}
