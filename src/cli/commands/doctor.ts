import { defineCommand } from "citty";

export default defineCommand({
  meta: { name: "doctor", description: "Check the installation and the connection to the model" },
  args: {
    fix: { type: "boolean", description: "repair a damaged database; the damaged file is kept" },
    json: { type: "boolean", description: "machine-readable" },
    model: { type: "string", alias: "m", description: "check with this model", valueHint: "MODEL" },
    provider: { type: "string", description: "check this provider", valueHint: "NAME" },
  },
  async run({ args }) {
    const { runChecks, checksText } = await import("../doctor-checks.ts");
    const checks = await runChecks({ model: args.model, provider: args.provider, fix: args.fix === true });
    process.stdout.write(`${args.json === true ? JSON.stringify(checks) : checksText(checks)}\n`);
    return checks.some((check) => check.state === "failed") ? 1 : 0;
  },
});
