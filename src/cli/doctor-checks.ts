import { accessSync, constants, existsSync, statSync } from "node:fs";
import { processEnvironment, readEnv } from "../base/env.ts";
import { errorMessage, isHermesError } from "../base/errors.ts";
import { displayPath, hermesHome, homePaths } from "../base/paths.ts";
import { redact } from "../base/redact.ts";
import { loadConfig, type LoadedConfig, repairEnvFile } from "../config/index.ts";
import { modelWarnings } from "./config-report.ts";
import { resolveModel } from "../models/index.ts";
import { isHealthy, openStore, repairStore } from "../store/index.ts";
import { countSessions } from "../session/index.ts";

export interface Check {
  name: string;
  state: "ok" | "warning" | "failed";
  text: string;
  /** the next step when it is not ok */
  hint?: string;
}

const connectTimeoutMs = 8000;

/** Checks one thing after another; a failed one never stops the rest. Creates no home. */
export async function runChecks(flags: {
  model: string | undefined;
  provider: string | undefined;
  /** repairs what can be repaired without asking: the database, lines of .env */
  fix: boolean;
}): Promise<Check[]> {
  const home = hermesHome();
  const parted = flags.fix ? repairEnvFile(home) : 0;
  const config = loadConfig({ home, environment: processEnvironment() });
  return [
    checkHome(home),
    ...(parted === 0 ? [] : [{ name: "config", state: "warning" as const, text: `.env: ${parted} lines were parted` }]),
    ...checkConfig(config),
    ...checkModes(home),
    await guarded("database", () => checkDatabase(home, flags.fix)),
    checkShell(config),
    await guarded("model", () => checkModel(config, flags)),
  ];
}

async function guarded(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    const hint = isHermesError(error) ? error.hint : undefined;
    return { name, state: "failed", text: redact(errorMessage(error)), ...(hint === undefined ? {} : { hint }) };
  }
}

function checkHome(home: string): Check {
  const name = "home";
  if (!existsSync(home)) return { name, state: "ok", text: `${displayPath(home)} is made at the first chat` };
  try {
    accessSync(home, constants.W_OK);
    return { name, state: "ok", text: displayPath(home) };
  } catch (error) {
    return {
      name,
      state: "failed",
      text: `${displayPath(home)} is not writable: ${errorMessage(error)}`,
      hint: `chmod u+rwx ${home}, or set HERMES_HOME`,
    };
  }
}

function checkConfig(config: LoadedConfig): Check[] {
  const name = "config";
  if (config.broken !== undefined) {
    return [{ name, state: "failed", text: config.broken.message, hint: config.broken.hint ?? "hermes config edit" }];
  }
  const warnings = [...config.warnings, ...modelWarnings(config)];
  if (warnings.length === 0)
    return [
      { name, state: "ok", text: existsSync(config.path) ? displayPath(config.path) : "no file, defaults are used" },
    ];
  return warnings.map((warning) => ({ name, state: "warning", text: warning.text, hint: "hermes config edit" }));
}

function checkModes(home: string): Check[] {
  const { env, config, database } = homePaths(home);
  return [env, config, database].flatMap((path): Check[] => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined || (mode & 0o077) === 0) return [];
    return [
      {
        name: "permissions",
        state: "warning",
        text: `${displayPath(path)} can be read by others`,
        hint: `chmod 600 ${path}`,
      },
    ];
  });
}

async function checkDatabase(home: string, fix: boolean): Promise<Check> {
  const { database } = homePaths(home);
  if (!existsSync(database)) return { name: "database", state: "ok", text: "made at the first chat" };
  const warnings: string[] = [];
  const options = { path: database, onWarning: (text: string) => void warnings.push(text) };
  const repaired = fix ? await repairStore(options) : undefined;
  if (repaired !== undefined) {
    const { sessions, messages, lost, kept } = repaired;
    const missing = lost === 0 ? "nothing was lost" : `${lost} places could not be read`;
    const text = `repaired: ${sessions} sessions, ${messages} messages; ${missing}; the damaged file is kept as ${kept}`;
    return { name: "database", state: "warning", text };
  }
  const store = await openStore(options);
  try {
    if (!(await isHealthy(store))) {
      const text = `${displayPath(database)} has damaged pages`;
      return { name: "database", state: "failed", text, hint: "end every hermes, then: hermes doctor --fix" };
    }
    const sessions = await countSessions(store);
    if (warnings.length > 0) return { name: "database", state: "warning", text: warnings.join("; ") };
    return { name: "database", state: "ok", text: `${displayPath(database)}, ${sessions} sessions` };
  } finally {
    await store.close();
  }
}

function checkShell(config: LoadedConfig): Check {
  const found = Bun.which("bash", { PATH: readEnv("PATH", config.environment) ?? "" });
  return found === null
    ? { name: "shell", state: "failed", text: "bash is not on PATH; the terminal tool needs it", hint: "install bash" }
    : { name: "shell", state: "ok", text: found };
}

async function checkModel(
  config: LoadedConfig,
  flags: { model: string | undefined; provider: string | undefined },
): Promise<Check> {
  const model = await resolveModel({
    ...flags,
    config: config.values.model,
    customProviders: config.values.custom_providers,
    environment: config.environment,
    fetch,
    now: () => new Date(),
  });
  const where = `${model.model} at ${model.providerName} (${model.baseUrl})`;
  if (model.client.listModels === undefined) return { name: "model", state: "ok", text: where };
  const offered = (await model.client.listModels(AbortSignal.timeout(connectTimeoutMs))).map((entry) => entry.id);
  if (offered.length === 0 || offered.includes(model.model)) return { name: "model", state: "ok", text: where };
  return {
    name: "model",
    state: "warning",
    text: `${model.baseUrl} does not list the model "${model.model}"`,
    hint: `it offers ${offered.slice(0, 8).join(", ")}${offered.length > 8 ? " …" : ""}; choose one with -m or hermes config set model.default`,
  };
}

export function checksText(checks: Check[]): string {
  const marks = { ok: "✓", warning: "!", failed: "✗" };
  const lines = checks.flatMap((check) => [
    `${marks[check.state]} ${check.name.padEnd(12)}${check.text}`,
    ...(check.hint === undefined ? [] : [`${" ".repeat(14)}try: ${check.hint}`]),
  ]);
  const failed = checks.filter((check) => check.state === "failed").length;
  const warnings = checks.filter((check) => check.state === "warning").length;
  const good =
    warnings === 0 ? "all checks passed" : `no check failed, ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  return [...lines, failed === 0 ? good : `${failed} ${failed === 1 ? "check" : "checks"} failed`].join("\n");
}
