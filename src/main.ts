import { version } from "./cli/build-info.ts";

const first = process.argv[2];
if (first === "--version" || first === "-V") {
  await print(`hermes ${version}\n`);
} else if (first === "--help" || first === "-h" || first === "help") {
  const { helpText } = await import("./cli/help-text.ts");
  await print(helpText(version));
} else {
  const { runCli } = await import("./cli/index.ts");
  process.exit(await runCli(process.argv.slice(2)));
}

/** Writes without loading the streams of node, which takes longer than all the rest of `--version`. */
async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, text);
  } catch {
    // the reader has gone, like `hermes --help | head -1`
    process.exitCode = 1;
  }
}
