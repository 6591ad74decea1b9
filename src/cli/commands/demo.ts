import { defineCommand } from "citty";

export default defineCommand({
  meta: { name: "demo", description: "See the agent work, without key or network" },
  args: { fast: { type: "boolean", description: "without pauses for reading" } },
  async run({ args }) {
    const { runDemo } = await import("../../demo/index.ts");
    const { readEnv } = await import("../../base/env.ts");
    return await runDemo({
      write: (text) => void process.stdout.write(text),
      colors: process.stdout.isTTY && readEnv("NO_COLOR") === undefined,
      paceMs: args.fast === true || !process.stdout.isTTY ? 0 : 15,
    });
  },
});
