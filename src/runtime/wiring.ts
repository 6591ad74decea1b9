import type { Log } from "../base/log.ts";
import type { LoadedConfig } from "../config/index.ts";
import type { Store } from "../store/index.ts";
import type { createModelSource } from "./model-source.ts";
import type { RuntimeOptions } from "./types.ts";

/** What the parts of the runtime share. */
export interface Wiring {
  options: RuntimeOptions;
  config: LoadedConfig;
  store: Store;
  log: Log;
  models: ReturnType<typeof createModelSource>;
  /** work that goes on beside a turn; awaited at close */
  later(work: Promise<unknown>): void;
  /** repairs and indexes when nothing has happened for a moment */
  tidyLater(): void;
}
