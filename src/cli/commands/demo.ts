import { defineCommand } from "citty";

export default defineCommand({
  meta: { name: "demo", description: "See the agent work, without key or network" },
  args: { fast: { type: "boolean", description: "without pauses for reading" } },
  async run({ args }) {
    const { runDemo } = await import("../../demo/index.ts");
    const { readEnv } = await import("../../base/env.ts");
    const { CancelledError } = await import("../../base/errors.ts");
    const stop = new AbortController();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        if (stop.signal.aborted) process.exit(130);
        stop.abort(new CancelledError(`stopped by ${name}`));
      });
    }
    return await runDemo({
      signal: stop.signal,
      write: (text) => void process.stdout.write(text),
      colors: process.stdout.isTTY && readEnv("NO_COLOR") === undefined,
      paceMs: args.fast === true || !process.stdout.isTTY ? 0 : 15,
    });
  },
});
