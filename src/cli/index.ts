import { checkpoint } from "../base/timing.ts";
import { commands } from "./command-table.ts";

/**
 * Runs one command line. Prints results on stdout, everything else on stderr.
 * @param argv without the executable's own name
 * @returns the exit code, when all output is out: 0 done, 1 failed, 2 wrong usage, 130 cancelled
 */
export async function runCli(argv: string[]): Promise<number> {
  checkpoint("main");
  ignoreClosedPipe();
  const { runCommandLine } = await import("./run-command-line.ts");
  const code = await runCommandLine(argv, commands);
  await flush(process.stdout);
  await flush(process.stderr);
  checkpoint("end");
  return code;
}

/** `hermes … | head` ends without a stack trace when the reader has gone. */
function ignoreClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** What was printed must be out before the process ends; a closed pipe is no reason to wait. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
