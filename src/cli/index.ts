import { checkpoint } from "../base/timing.ts";
import { commands } from "./command-table.ts";

/**
 * Runs one command line. Prints results on stdout, everything else on stderr.
 * @param argv without the executable's own name
 * @returns the exit code, when all output is out: 0 done, 1 failed, 2 wrong usage, 130 cancelled
 */
export async function runCli(argv: string[]): Promise<number> {
  checkpoint("main");
  process.on("uncaughtException", (error) => void endWith(error));
  process.on("unhandledRejection", (error) => void endWith(error));
  const outputFault = watchOutput();
  const { runCommandLine } = await import("./run-command-line.ts");
  const code = await runCommandLine(argv, commands);
  await flush(process.stdout);
  await flush(process.stderr);
  checkpoint("end");
  const fault = outputFault();
  if (fault === undefined) return code;
  process.stderr.write(
    `error: the output could not be written: ${fault}\n  try: free some space, or send it elsewhere\n`,
  );
  return code === 0 ? 1 : code;
}

/** The last net: what nobody caught is shown as every other error, never as a stack trace. */
async function endWith(error: unknown): Promise<void> {
  const { renderError } = await import("./render-error.ts");
  const { redact } = await import("../base/redact.ts");
  const { text, exitCode } = renderError(error, redact);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}

/**
 * Streams that cannot be written end no command: `hermes … | head` is quiet, a full disk is told at the end.
 * @returns what went wrong with stdout, undefined when nothing did
 */
function watchOutput(): () => string | undefined {
  let fault: string | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") fault ??= error.message;
  });
  process.stderr.on("error", () => {
    // there is no place left to tell it
  });
  return () => fault;
}

/** What was printed must be out before the process ends; a closed pipe is no reason to wait. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
