import type { Environment } from "../base/env.ts";
import { ConfigError } from "../base/errors.ts";
import { holdSecret } from "../base/held-secrets.ts";
import { isRecord } from "../base/json.ts";
import { displayPath, homePaths } from "../base/paths.ts";
import { type ConfigDocument, readConfigDocument } from "./document.ts";
import { isSecretName, loadEnvironment } from "./environment.ts";
import { expandVariables } from "./expansion.ts";
import { toNormalForm } from "./normal-form.ts";
import type { ConfigValues } from "./schema.ts";
import { type ConfigWarning, readValues } from "./values.ts";

/** The settings of a home: config.yaml over .env and environment over defaults. */
export interface LoadedConfig {
  values: ConfigValues;
  warnings: ConfigWarning[];
  /** of config.yaml, whether it exists or not */
  path: string;
  /** why config.yaml could not be read or parsed; the defaults are used then, and nothing may write to it */
  broken: ConfigError | undefined;
  /** the inherited variables with those of .env over them */
  environment: Environment;
}

/**
 * Loads the settings. Never throws for what the files say: a wrong value becomes a warning and its default,
 * an unreadable config.yaml becomes `broken`. Secrets found on the way are held for redaction.
 * @param options.home absolute path of the hermes home
 */
export function loadConfig(options: { home: string; environment: Environment }): LoadedConfig {
  const paths = homePaths(options.home);
  const { environment, warnings } = loadEnvironment(paths.env, options.environment);
  let file: ConfigDocument | undefined;
  let broken: ConfigError | undefined;
  try {
    file = readConfigDocument(paths.config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    broken = error;
  }
  const fileName = displayPath(paths.config);
  for (const { text, line } of file?.duplicates ?? []) warnings.push({ text, key: "", line });
  const raw = toNormalForm(file?.raw ?? {});
  const expanded = expandVariables(raw, environment) as Record<string, unknown>;
  const read = readValues({
    raw: expanded,
    environment,
    fileName,
    lineOf: (path) => file?.lineOf(path),
  });
  holdSecrets(read.values, "");
  return { values: read.values, warnings: [...warnings, ...read.warnings], path: paths.config, broken, environment };
}

function holdSecrets(value: unknown, name: string): void {
  if (typeof value === "string") {
    if (isSecretName(name)) holdSecret(value, name);
  } else if (Array.isArray(value)) {
    for (const item of value) holdSecrets(item, name);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) holdSecrets(item, key);
  }
}
