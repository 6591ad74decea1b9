import { fstatSync } from "node:fs";
import { HermesError } from "../base/errors.ts";

// a program that starts this one through a socket has its text ready, or means none; a pipeline may need a moment
const socketPatienceMs = 300;
const pipePatienceMs = 2000;
/** a million tokens and more: no model takes it */
const pipedLimitChars = 4_000_000;

/** What is piped or redirected into this process; undefined when nothing is. A pipe that stays silent is not waited for. */
export async function readPipedText(warn: (text: string) => void): Promise<string | undefined> {
  const patienceMs = patience();
  if (patienceMs === undefined) return undefined;
  const reader = Bun.stdin.stream().getReader();
  const silent = Promise.withResolvers<"silent">();
  const timer = setTimeout(() => silent.resolve("silent"), patienceMs);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const next = reader.read();
      const chunk = text === "" ? await Promise.race([next, silent.promise]) : await next;
      if (chunk === "silent") {
        warn(`stdin is open but nothing came; it was not read`);
        return undefined;
      }
      if (chunk.done) return text === "" ? undefined : text + decoder.decode();
      text += decoder.decode(chunk.value, { stream: true });
      if (text.length > pipedLimitChars) throw tooLong();
    }
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(): HermesError {
  return new HermesError("E_USAGE", `stdin holds more than ${pipedLimitChars / 1_000_000} million characters`, {
    exitCode: 2,
    hint: "write it to a file and ask about that file: the agent reads it piece by piece",
  });
}

/** All of stdin. @throws {HermesError} E_USAGE when it is longer than any model takes */
export async function readAllInput(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > pipedLimitChars) throw tooLong();
  }
  return text + decoder.decode();
}

/** How long to wait for the first byte; undefined when nothing can come. */
function patience(): number | undefined {
  try {
    const stats = fstatSync(0);
    if (stats.isSocket()) return socketPatienceMs;
    return stats.isFIFO() || stats.isFile() ? pipePatienceMs : undefined;
  } catch {
    // stdin is closed
    return undefined;
  }
}
