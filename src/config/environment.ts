import { type Environment, readEnv } from "../base/env.ts";
import { ConfigError, errorMessage } from "../base/errors.ts";
import { fileErrorCode, readRegularFile } from "../base/fs.ts";
import { holdSecret } from "../base/held-secrets.ts";
import { displayPath } from "../base/paths.ts";
import { parseEnvFile } from "./env-file.ts";
import { splitGluedLines } from "./glued-lines.ts";
import type { ConfigWarning } from "./values.ts";

/** Names that decide how programs start; an .env file of the agent has no say in them. */
const reserved =
  /^(?:PATH|HOME|SHELL|EDITOR|VISUAL|HERMES_HOME|LD_[A-Z_]+|DYLD_[A-Z_]+|BUN_[A-Z_]+|NODE_OPTIONS|PYTHON[A-Z]+|BASH_ENV|ENV|IFS)$/;

export function isReservedName(name: string): boolean {
  return reserved.test(name);
}

/** True for a name whose value must never be shown. */
export function isSecretName(name: string): boolean {
  return /(?:^|_)(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|KEY|CREDENTIALS)$/i.test(name);
}

/** @throws {ConfigError} E_CONFIG_READ; a missing file is "" */
export function readEnvText(path: string): string {
  try {
    const bytes = readRegularFile(path);
    const text = bytes.toString("utf8");
    // an older editor's file: every byte is a character of Latin-1
    return text.includes("\uFFFD") ? bytes.toString("latin1") : text;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return "";
    throw new ConfigError("E_CONFIG_READ", `${displayPath(path)} cannot be read: ${errorMessage(error)}`, {
      hint: `chmod 600 ${path}`,
      path,
      cause: error,
    });
  }
}

/**
 * The environment with the .env file of a home over it. A name left empty in the file hides nothing.
 * Secrets of both are held for redaction.
 */
export function loadEnvironment(
  path: string,
  inherited: Environment,
): { environment: Environment; warnings: ConfigWarning[] } {
  const environment: Environment = { ...inherited };
  const warnings: ConfigWarning[] = [];
  const warn = (key: string, what: string): void => {
    warnings.push({ text: `${displayPath(path)}: ${what}`, key, line: undefined });
  };
  let text = "";
  try {
    text = readEnvText(path);
  } catch (error) {
    // keys may come from the environment as well, so going on is right; the reader is told
    warn(".env", errorMessage(error));
  }
  const { text: apart, glued } = splitGluedLines(text);
  for (const { line, names } of glued) {
    warn(
      ".env",
      `line ${line} holds ${names.join(" and ")}; they are read as ${names.length}; hermes doctor --fix parts them`,
    );
  }
  const file = parseEnvFile(apart);
  for (const line of file.strangeLines) warn(".env", `line ${line} is not NAME=value`);
  for (const [name, value] of file.values) {
    if (isReservedName(name)) warn(name, `${name} cannot be set here and is ignored`);
    else if (value.trim() !== "") environment[name] = value;
  }
  for (const name of Object.keys(environment)) {
    const value = readEnv(name, environment);
    if (value !== undefined && isSecretName(name)) holdSecret(value, name);
  }
  return { environment, warnings };
}
