import { isEnvOn } from "./env.ts";

const enabled = isEnvOn("HERMES_TIMING");

/** With HERMES_TIMING=1 prints how many ms after the start of the process a point was reached. */
export function checkpoint(name: string): void {
  if (enabled) process.stderr.write(`timing: ${name} ${performance.now().toFixed(1)} ms\n`);
}
