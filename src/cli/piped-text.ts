import { fstatSync } from "node:fs";

// a program that starts this one through a socket has its text ready, or means none; a pipeline may need a moment
const socketPatienceMs = 300;
const pipePatienceMs = 2000;

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
    }
  } finally {
    clearTimeout(timer);
  }
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
