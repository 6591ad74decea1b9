import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Log } from "../base/log.ts";
import type { Clock } from "../base/time.ts";
import { ToolError } from "../base/errors.ts";
import type { PluginHost } from "../plugin/host.ts";

/** The host of the core tools: no declared secrets, the home's cache as data folder. */
export function createHost(options: { home: string; log: Log; clock: Clock }): PluginHost {
  return {
    fetch,
    log: options.log,
    secrets: { get: () => undefined },
    dataDir: join(options.home, "cache", "core"),
    now: () => options.clock.now(),
    paths: { temp: tmpdir() },
  };
}

/** What a core tool may ask for but this face cannot give. */
export function unavailable(what: string): ToolError {
  return new ToolError("E_TOOL_UNAVAILABLE", `${what} is not available in this session`);
}
