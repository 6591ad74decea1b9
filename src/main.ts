import { runCli } from "./cli/index.ts";

const code = await runCli(process.argv.slice(2));
// what was printed must be out before the process ends; a closed pipe is no reason to wait
await new Promise<void>((resolve) => {
  if (process.stdout.writableLength === 0 || process.stdout.destroyed) resolve();
  else process.stdout.write("", () => resolve());
});
process.exit(code);
