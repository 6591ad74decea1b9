import { processEnvironment } from "../base/env.ts";
import { ConfigError } from "../base/errors.ts";
import { isRecord } from "../base/json.ts";
import { displayPath, hermesHome, homePaths } from "../base/paths.ts";
import { maskForStatus, redact } from "../base/redact.ts";
import {
  configKeys,
  type ConfigWarning,
  getConfigValue,
  isSecretName,
  loadConfig,
  type LoadedConfig,
} from "../config/index.ts";
import { findModelProblems } from "../models/index.ts";

function load(): LoadedConfig {
  return loadConfig({ home: hermesHome(), environment: processEnvironment() });
}

/** Settings as `key: value` lines or JSON, secrets masked. @throws {ConfigError} for an unknown key or a broken file */
export function showSettings(options: { key: string | undefined; all: boolean; json: boolean }): string {
  const config = load();
  if (config.broken !== undefined) throw config.broken;
  if (options.key !== undefined) {
    const value = withoutSecrets(getConfigValue(config, options.key), options.key.split(".").at(-1) ?? "");
    if (options.json) return JSON.stringify(value);
    if (!isRecord(value)) return `${options.key}: ${toText(value)}`;
    const lines = flatten(value, options.key).map(([key, entry]) => `${key}: ${toText(entry)}`);
    return lines.length === 0 ? `${options.key}: {}` : lines.join("\n");
  }
  const entries = configKeys()
    .map(({ key, default: initial }) => ({ key, initial, value: getConfigValue(config, key) }))
    .filter(({ initial, value }) => options.all || JSON.stringify(initial) !== JSON.stringify(value))
    .map(({ key, value }) => ({ key, value: withoutSecrets(value, key.split(".").at(-1) ?? "") }));
  if (options.json) return JSON.stringify(Object.fromEntries(entries.map(({ key, value }) => [key, value])));
  if (entries.length === 0) return "every setting has its default; hermes config show --all lists them";
  return entries.map(({ key, value }) => `${key}: ${toText(value)}`).join("\n");
}

function flatten(value: Record<string, unknown>, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, entry]): [string, unknown][] =>
    isRecord(entry) && Object.keys(entry).length > 0
      ? flatten(entry, `${prefix}.${name}`)
      : [[`${prefix}.${name}`, entry]],
  );
}

/** One setting, a text without quotes. */
export function getSetting(key: string, json: boolean): string {
  const config = load();
  if (config.broken !== undefined) throw config.broken;
  if (/^[A-Z_][A-Z0-9_]*$/.test(key)) {
    const value = config.environment[key];
    if (value === undefined) {
      const hint = `hermes config set ${key} VALUE`;
      throw new ConfigError("E_CONFIG_UNKNOWN_KEY", `${key} is not set`, { hint, key });
    }
    const shown = isSecretName(key) ? maskForStatus(value) : redact(value);
    return json ? JSON.stringify(shown) : shown;
  }
  const value = withoutSecrets(getConfigValue(config, key), key.split(".").at(-1) ?? "");
  return json ? JSON.stringify(value) : toText(value);
}

/** The two files, one a line. */
export function settingsPaths(json: boolean): string {
  const { config, env } = homePaths(hermesHome());
  return json ? JSON.stringify({ config, env }) : `${config}\n${env}`;
}

/** What is wrong with the files; code 1 when config.yaml cannot be used. */
export function checkSettings(json: boolean): { text: string; code: number } {
  const config = load();
  const code = config.broken === undefined ? 0 : 1;
  const warnings = [...config.warnings, ...modelWarnings(config)];
  if (json) {
    const broken = config.broken === undefined ? null : { message: config.broken.message, hint: config.broken.hint };
    return { text: JSON.stringify({ path: config.path, broken, warnings }), code };
  }
  const lines = warnings.map((warning) => `! ${warning.text}`);
  if (config.broken !== undefined) {
    lines.push(`✗ ${config.broken.message}`);
    if (config.broken.hint !== undefined) lines.push(`  try: ${config.broken.hint}`);
  }
  if (lines.length === 0) lines.push(`✓ ${displayPath(config.path)}: nothing to complain about`);
  return { text: redact(lines.join("\n")), code };
}

/** Names and URLs of the model's settings that cannot work; those of one key when it is given. */
export function modelWarnings(config: LoadedConfig = load(), key?: string): ConfigWarning[] {
  const { model, custom_providers: customProviders } = config.values;
  return findModelProblems({ config: model, customProviders })
    .filter((problem) => key === undefined || problem.key === key)
    .map((problem) => ({
      key: problem.key,
      text: `${displayPath(config.path)}: ${problem.key}: ${problem.text}`,
      line: undefined,
    }));
}

function withoutSecrets(value: unknown, name: string): unknown {
  if (typeof value === "string") {
    if (value !== "" && isSecretName(name)) return maskForStatus(value);
    return redact(value);
  }
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutSecrets(entry, key)]));
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
