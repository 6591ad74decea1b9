import { defineCommand } from "citty";

export default defineCommand({
  meta: { name: "status", description: "What is configured and where data lives" },
  args: { json: { type: "boolean", description: "machine-readable" } },
  async run({ args }) {
    const { readStatus, statusText } = await import("../status-report.ts");
    const status = await readStatus();
    process.stdout.write(`${args.json === true ? JSON.stringify(status) : statusText(status)}\n`);
  },
});
