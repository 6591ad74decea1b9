import { statSync } from "node:fs";
import { processEnvironment, readEnv } from "../base/env.ts";
import { displayPath, hermesHome, homePaths } from "../base/paths.ts";
import { maskForStatus } from "../base/redact.ts";
import { loadConfig } from "../config/index.ts";
import { listProviders, loadProvider } from "../plugin-host/index.ts";
import { commit, version } from "./build-info.ts";

export interface Status {
  version: string;
  commit: string;
  home: string;
  homeExists: boolean;
  config: { path: string; exists: boolean; warnings: number; broken: boolean };
  database: { path: string; sizeBytes: number };
  model: { provider: string; model: string; baseUrl: string };
  /** which key variables are set, masked */
  keys: { name: string; value: string }[];
  approvals: string;
}

/** Everything that can be told without network and without opening the database. */
export async function readStatus(): Promise<Status> {
  const home = hermesHome();
  const paths = homePaths(home);
  const config = loadConfig({ home, environment: processEnvironment() });
  const names = new Set<string>();
  for (const { id } of listProviders()) for (const name of (await loadProvider(id)).credentials.env) names.add(name);
  const keys = [...names].flatMap((name) => {
    const value = readEnv(name, config.environment);
    return value === undefined ? [] : [{ name, value: maskForStatus(value) }];
  });
  const { model, approvals } = config.values;
  const chosen = model.provider === "" ? "auto" : model.provider;
  return {
    version,
    commit,
    home,
    homeExists: sizeOf(home) !== undefined,
    config: {
      path: paths.config,
      exists: sizeOf(paths.config) !== undefined,
      warnings: config.warnings.length,
      broken: config.broken !== undefined,
    },
    database: {
      path: paths.database,
      sizeBytes: (sizeOf(paths.database) ?? 0) + (sizeOf(`${paths.database}-wal`) ?? 0),
    },
    model: {
      provider: chosen,
      model: model.default,
      baseUrl:
        model.base_url === "" && chosen === "auto"
          ? (readEnv("OPENAI_BASE_URL", config.environment) ?? "")
          : model.base_url,
    },
    keys,
    approvals: approvals.mode,
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

export function statusText(status: Status): string {
  const row = (name: string, value: string): string => `  ${name.padEnd(12)}${value}`;
  const config = status.config.broken
    ? " (broken: hermes config check)"
    : status.config.exists
      ? ""
      : " (not there, defaults are used)";
  return [
    `hermes ${status.version} (${status.commit})`,
    row("home", `${displayPath(status.home)}${status.homeExists ? "" : " (not there yet)"}`),
    row("config", `${displayPath(status.config.path)}${config}`),
    row("database", `${displayPath(status.database.path)}, ${(status.database.sizeBytes / 1024 / 1024).toFixed(1)} MB`),
    row("provider", `${status.model.provider}${status.model.baseUrl === "" ? "" : ` at ${status.model.baseUrl}`}`),
    row(
      "model",
      status.model.model === ""
        ? "not set (choose with -m or hermes config set model.default MODEL)"
        : status.model.model,
    ),
    row("approvals", status.approvals),
    ...(status.keys.length === 0
      ? [row("keys", "none set")]
      : status.keys.map((key, index) => row(index === 0 ? "keys" : "", `${key.name} ${key.value}`))),
  ].join("\n");
}
