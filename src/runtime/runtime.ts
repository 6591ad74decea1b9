import { ensureDirectory } from "../base/fs.ts";
import { createFileLog } from "../base/log.ts";
import { homePaths } from "../base/paths.ts";
import { setPatternRedaction } from "../base/redact.ts";
import { HermesError } from "../base/errors.ts";
import { loadConfig } from "../config/index.ts";
import {
  createSession,
  findSession,
  indexPending,
  hasAnswer,
  latestSession,
  repairInterrupted,
  type Session,
} from "../session/index.ts";
import { preloadWires } from "../models/index.ts";
import { openStore, type Store } from "../store/index.ts";
import { coreTools, createToolRegistry } from "../tools/index.ts";
import { createOpenSession } from "./open-session.ts";
import { createModelSource } from "./model-source.ts";
import type { Wiring } from "./wiring.ts";
import type { OpenSession, Runtime, RuntimeOptions, SessionRequest } from "./types.ts";

/**
 * Opens a home and wires everything together.
 * @throws {StoreError} when the database cannot be opened; {HermesError} E_HOME when the home cannot be made
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const paths = homePaths(options.home);
  try {
    ensureDirectory(options.home);
  } catch (error) {
    throw new HermesError(
      "E_HOME",
      `the home ${options.home} cannot be created: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: "make the folder writable, or set HERMES_HOME to another one",
        cause: error,
      },
    );
  }
  const config = loadConfig({ home: options.home, environment: options.environment });
  for (const warning of config.warnings) options.notice("warn", warning.text);
  if (config.broken !== undefined)
    options.notice("error", `${config.broken.message} (defaults are used; the file is left as it is)`);
  setPatternRedaction(config.values.security.redact_secrets);
  const log = createFileLog({ path: `${paths.logs}/hermes.log`, clock: options.clock });
  const opening = openStore({
    path: paths.database,
    durability: config.values.database.durability,
    onWarning: (text: string) => {
      log.warn(text);
      options.notice("warn", text);
    },
  });
  // while the database's thread opens the file
  preloadWires();
  createToolRegistry(coreTools).specs();
  const store = await opening;
  const pending = new Set<Promise<unknown>>();
  const later = (work: Promise<unknown>): void => {
    const watched: Promise<unknown> = work
      .catch((error: unknown) =>
        log.warn(`background work failed: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => pending.delete(watched));
    pending.add(watched);
  };
  const tidying = createIdleWork(() => {
    const repaired = repairInterrupted(store, { now: () => options.clock.now() });
    later(repaired.then(() => indexPending(store)));
  });
  const models = createModelSource(options, config);
  const wiring: Wiring = {
    options,
    config,
    store,
    log,
    later,
    models,
    tidyLater: tidying.schedule,
  };
  return {
    home: options.home,
    config,
    store,
    async openSession(request) {
      const open = await openSession(request, wiring);
      tidying.schedule();
      return open;
    },
    async close() {
      tidying.cancel();
      while (pending.size > 0) await Promise.all(pending);
      await store.close();
    },
  };
}

const idleMs = 250;

/**
 * Work that waits for a quiet moment: repair after a crash and the search index. A process that ends before leaves it
 * to the next one; a search catches up by itself.
 */
function createIdleWork(work: () => void): { schedule(): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    schedule() {
      clearTimeout(timer);
      timer = setTimeout(work, idleMs);
    },
    cancel: () => clearTimeout(timer),
  };
}

async function openSession(request: SessionRequest, wiring: Wiring): Promise<OpenSession> {
  const found = await findRequested(request, wiring.store);
  if (found !== undefined) {
    const used = (await hasAnswer(wiring.store, found)) ? { model: found.model, provider: found.provider } : undefined;
    const model = await wiring.models.resolve(used);
    return createOpenSession(found, model, wiring);
  }
  const model = await wiring.models.resolve(undefined);
  const session = await createSession(wiring.store, {
    source: request.source,
    model: model.model,
    provider: model.provider,
    cwd: request.cwd,
    now: () => wiring.options.clock.now(),
  });
  return createOpenSession(session, model, wiring);
}

async function findRequested(request: SessionRequest, store: Store): Promise<Session | undefined> {
  if (request.resume !== undefined) {
    const found = await findSession(store, request.resume);
    if (found === undefined) {
      throw new HermesError("E_SESSION_NOT_FOUND", `no session "${request.resume}", or more than one begins so`, {
        hint: "hermes sessions list shows them",
      });
    }
    return found;
  }
  if (request.newest !== true) return undefined;
  const newest = await latestSession(store, { source: request.source });
  if (newest === undefined)
    throw new HermesError("E_SESSION_NOT_FOUND", "there is no session to go on with", {
      hint: "start one with hermes",
    });
  return newest;
}
