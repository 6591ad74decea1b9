import { defineCommand } from "citty";
import { commit, version } from "../build-info.ts";

export default defineCommand({
  meta: { name: "version", description: "Version, build and runtime" },
  args: { json: { type: "boolean", description: "machine-readable" } },
  run({ args }) {
    const info = { version, commit, runtime: `Bun ${Bun.version}`, platform: `${process.platform}-${process.arch}` };
    const text = args.json
      ? JSON.stringify(info)
      : `hermes ${info.version} (${info.commit})\n${info.runtime} on ${info.platform}`;
    process.stdout.write(`${text}\n`);
  },
});
