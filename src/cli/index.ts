import { checkpoint } from "../base/timing.ts";
import { version } from "./build-info.ts";
import { commands } from "./command-table.ts";

/**
 * Runs one command line. Prints results on stdout, everything else on stderr.
 * @param argv without the executable's own name
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 cancelled
 */
export async function runCli(argv: string[]): Promise<number> {
  checkpoint("main");
  ignoreClosedPipe();
  const code = await dispatch(argv);
  checkpoint("end");
  return code;
}

async function dispatch(argv: string[]): Promise<number> {
  const first = argv[0];
  if (first === "--version" || first === "-V") {
    process.stdout.write(`hermes ${version}\n`);
    return 0;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const { helpText } = await import("./help-text.ts");
    process.stdout.write(helpText(version));
    return 0;
  }
  const { runCommandLine } = await import("./run-command-line.ts");
  return await runCommandLine(argv, commands);
}

/** `hermes … | head` ends without a stack trace when the reader has gone. */
function ignoreClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
