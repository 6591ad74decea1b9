import { existsSync } from "node:fs";
import type { Document } from "yaml";
import type { Environment } from "../base/env.ts";
import { ConfigError } from "../base/errors.ts";
import { ensureDirectory, writeFileAtomic } from "../base/fs.ts";
import { isRecord } from "../base/json.ts";
import { displayPath, homePaths } from "../base/paths.ts";
import { type ConfigDocument, parseConfigDocument, readConfigDocument } from "./document.ts";
import { isEnvName, removeFromEnvFile, setInEnvFile } from "./env-file.ts";
import { isReservedName, isSecretName, readEnvText } from "./environment.ts";
import { withFileLock, writeError } from "./file-lock.ts";
import { splitGluedLines } from "./glued-lines.ts";
import { isLeaf } from "./leaf.ts";
import type { LoadedConfig } from "./load.ts";
import { findNode } from "./schema.ts";
import { checkValue, nearestKey } from "./values.ts";

/** What a change did. */
export interface ConfigChange {
  /** dotted path in config.yaml, or the name in .env */
  key: string;
  value: unknown;
  /** the file that was written */
  path: string;
  /** the value must not be shown */
  secret: boolean;
  /** set when hermes does not know the key: it was written all the same */
  warning: string | undefined;
}

/** Settings that other programs on the same home read from .env. */
const mirrored: Record<string, string> = {
  "terminal.backend": "TERMINAL_ENV",
  "terminal.modal_mode": "TERMINAL_MODAL_MODE",
  "terminal.docker_image": "TERMINAL_DOCKER_IMAGE",
  "terminal.singularity_image": "TERMINAL_SINGULARITY_IMAGE",
  "terminal.modal_image": "TERMINAL_MODAL_IMAGE",
  "terminal.daytona_image": "TERMINAL_DAYTONA_IMAGE",
  "terminal.docker_mount_cwd_to_workspace": "TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE",
  "terminal.timeout": "TERMINAL_TIMEOUT",
  "terminal.sandbox_dir": "TERMINAL_SANDBOX_DIR",
  "terminal.persistent_shell": "TERMINAL_PERSISTENT_SHELL",
};

/**
 * The value of a dotted key: a setting, a group, or something inside a map or list.
 * @throws {ConfigError} E_CONFIG_UNKNOWN_KEY with the nearest key as hint
 */
export function getConfigValue(config: LoadedConfig, key: string): unknown {
  const path = splitKey(key);
  let value: unknown = config.values;
  for (const part of path) {
    const inside = isRecord(value) || Array.isArray(value);
    if (!inside || !Object.hasOwn(value as object, part)) throw unknownKeyError(key, config.path);
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * Sets a key: secrets and names of variables go to .env, everything else to config.yaml.
 * The text takes the type of the key's default. Comments, order and unknown keys stay.
 * @throws {ConfigError} E_CONFIG_VALUE, E_CONFIG_KEY, E_CONFIG_SYNTAX or E_CONFIG_READ when the file is broken,
 * E_CONFIG_LOCKED, E_CONFIG_WRITE
 */
export function setConfigValue(
  options: { home: string; environment: Environment },
  key: string,
  text: string,
): ConfigChange {
  if (isVariable(key)) return setEnvValue(options, key.toUpperCase(), text);
  const paths = homePaths(options.home);
  let path = splitKey(key);
  if (path.length === 1 && path[0] === "model") path = ["model", "default"];
  const found = findNode(path);
  const value = toValue(path, found, text);
  changeConfigFile(paths.config, (file) => setInDocument(file, path, value));
  const name = path.join(".");
  const variable = mirrored[name];
  if (variable !== undefined) setEnvValue(options, variable, String(value));
  const last = path.at(-1) ?? "";
  return {
    key: name,
    value,
    path: paths.config,
    secret: isSecretName(last) || (found !== undefined && isLeaf(found.node) && found.node.secret),
    warning: found === undefined ? `hermes has no key "${name}"${suggestion(name)}` : undefined,
  };
}

/**
 * Sets a name in .env (0600). "" keeps the name with an empty value.
 * @throws {ConfigError} E_CONFIG_KEY for a name that is none or that is reserved, E_CONFIG_WRITE, E_CONFIG_LOCKED
 */
export function setEnvValue(options: { home: string }, name: string, value: string): ConfigChange {
  const path = homePaths(options.home).env;
  if (!isEnvName(name)) {
    throw new ConfigError("E_CONFIG_KEY", `"${name}" is no name of a variable`, {
      hint: "letters, digits and _, not beginning with a digit",
      path,
      key: name,
    });
  }
  if (isReservedName(name)) {
    throw new ConfigError("E_CONFIG_KEY", `${name} cannot be set in ${displayPath(path)}`, {
      hint: `export ${name} in the shell that starts hermes`,
      path,
      key: name,
    });
  }
  makeHome(options.home, path);
  withFileLock(path, () => write(path, setInEnvFile(splitGluedLines(readEnvText(path)).text, name, value)));
  return { key: name, value: value.replace(/[\r\n\0]/g, ""), path, secret: isSecretName(name), warning: undefined };
}

/** Takes lines of .env apart that hold several settings. @returns how many lines there were */
export function repairEnvFile(home: string): number {
  const path = homePaths(home).env;
  if (splitGluedLines(readEnvText(path)).glued.length === 0) return 0;
  return withFileLock(path, () => {
    const { text, glued } = splitGluedLines(readEnvText(path));
    write(path, text);
    return glued.length;
  });
}

/**
 * Takes a key out of config.yaml, or a name out of .env, so that its default counts again.
 * @returns the key and the file it was in
 * @throws {ConfigError} E_CONFIG_NOT_SET when the file does not have it, and those of `setConfigValue`
 */
export function unsetConfigValue(home: string, key: string): { key: string; path: string } {
  const paths = homePaths(home);
  if (isVariable(key)) {
    const name = key.toUpperCase();
    if (!unsetEnvValue(paths.env, name)) throw notSet(name, paths.env);
    return { key: name, path: paths.env };
  }
  const path = splitKey(key);
  if (!existsSync(paths.config)) throw notSet(key, paths.config);
  changeConfigFile(paths.config, (file) => removeFromDocument(file, path));
  const variable = mirrored[key];
  if (variable !== undefined) unsetEnvValue(paths.env, variable);
  return { key, path: paths.config };
}

function unsetEnvValue(path: string, name: string): boolean {
  if (!existsSync(path)) return false;
  return withFileLock(path, () => {
    const { text, removed } = removeFromEnvFile(splitGluedLines(readEnvText(path)).text, name);
    if (removed > 0) write(path, text);
    return removed > 0;
  });
}

function notSet(key: string, path: string): ConfigError {
  const hint = "hermes config show lists what differs from the defaults";
  return new ConfigError("E_CONFIG_NOT_SET", `${displayPath(path)} does not set ${key}`, { hint, path, key });
}

/** Reads, changes and writes config.yaml under its lock. A file that does not parse is left alone. */
function changeConfigFile(path: string, change: (file: ConfigDocument) => void): void {
  makeHome(path.slice(0, path.lastIndexOf("/")), path);
  withFileLock(path, () => {
    const file = readConfigDocument(path) ?? parseConfigDocument("", path);
    const [duplicate] = file.duplicates;
    if (duplicate !== undefined) {
      throw new ConfigError("E_CONFIG_SYNTAX", duplicate.text, {
        hint: "remove one of them: hermes config edit",
        path,
      });
    }
    change(file);
    write(path, file.toText());
  });
}

function makeHome(home: string, path: string): void {
  try {
    ensureDirectory(home);
  } catch (error) {
    throw writeError(path, error);
  }
}

function write(path: string, text: string): void {
  try {
    writeFileAtomic(path, text, { mode: 0o600 });
  } catch (error) {
    throw writeError(path, error);
  }
}

function removeFromDocument(file: ConfigDocument, path: string[]): void {
  const { document, raw } = file;
  // `model: x` is short for `model: {default: x}`
  const isShort = path.join(".") === "model.default" && typeof raw["model"] === "string";
  const nodePath = toNodePath(isShort ? ["model"] : path, raw);
  if (!document.hasIn(nodePath)) throw notSet(path.join("."), file.path);
  deleteNode(document, nodePath);
  // a section that is empty now says nothing
  for (let end = nodePath.length - 1; end > 0; end -= 1) {
    const node: unknown = document.getIn(nodePath.slice(0, end), true);
    const items = (node as { items?: unknown[] } | undefined)?.items;
    if (items === undefined || items.length > 0 || typeof nodePath[end - 1] === "number") break;
    deleteNode(document, nodePath.slice(0, end));
  }
}

interface Commented {
  commentBefore?: string | null;
  comment?: string | null;
}

/** The comment above a key may be about what follows, so it stays: above the next key, or at the end of the section. */
function deleteNode(document: Document, path: (string | number)[]): void {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const { items = [] } = parent as { items?: { key?: Commented & { value?: unknown } }[] };
  const position = items.findIndex((item) => item.key !== undefined && String(item.key.value) === String(path.at(-1)));
  const comment = items[position]?.key?.commentBefore;
  document.deleteIn(path);
  if (comment === undefined || comment === null) return;
  const place = items[position]?.key;
  if (place !== undefined) place.commentBefore = joinComments(comment, place.commentBefore);
  else (parent as Commented).comment = joinComments(comment, (parent as Commented).comment);
}

function joinComments(first: string, second: string | null | undefined): string {
  return second === undefined || second === null ? first : `${first}\n${second}`;
}

function setInDocument(file: ConfigDocument, path: string[], value: unknown): void {
  const { document, raw } = file;
  if (document.contents === null) document.contents = document.createNode({});
  let current: unknown = raw;
  for (const [index, part] of path.slice(0, -1).entries()) {
    const next = isRecord(current) || Array.isArray(current) ? (current as Record<string, unknown>)[part] : undefined;
    const here = path.slice(0, index + 1);
    // `model: x` is short for `model: {default: x}`, so the name is kept
    if (here.join(".") === "model" && typeof next === "string")
      document.setIn(["model"], document.createNode({ default: next }));
    else if (!isRecord(next) && !Array.isArray(next)) document.setIn(toNodePath(here, raw), document.createNode({}));
    current = next;
  }
  document.setIn(toNodePath(path, raw), value);
}

/** A number is an index where the file has a list. */
function toNodePath(path: string[], raw: unknown): (string | number)[] {
  let current: unknown = raw;
  return path.map((part, position) => {
    if (Array.isArray(current)) checkIndex(path.slice(0, position).join("."), part, current.length);
    const index = Array.isArray(current) ? Number(part) : part;
    current = isRecord(current) || Array.isArray(current) ? (current as Record<string, unknown>)[part] : undefined;
    return index;
  });
}

/** The end of a list can be appended to; a gap in it would be filled with nothing. */
function checkIndex(key: string, part: string, length: number): void {
  if (/^(?:0|[1-9]\d{0,8})$/.test(part) && Number(part) <= length) return;
  throw new ConfigError("E_CONFIG_KEY", `${key} is a list of ${length}; "${part}" is no place in it`, {
    hint: length === 0 ? `${key}.0 begins it` : `${key}.0 to ${key}.${length - 1}; ${key}.${length} appends`,
    key: `${key}.${part}`,
  });
}

function toValue(path: string[], found: ReturnType<typeof findNode>, text: string): unknown {
  if (found === undefined || found.rest.length > 0) return guessValue(text);
  const key = path.join(".");
  if (!isLeaf(found.node)) {
    throw new ConfigError("E_CONFIG_VALUE", `${key} is a section with its own keys`, {
      hint: `set one of ${Object.keys(found.node)
        .slice(0, 6)
        .map((name) => `${key}.${name}`)
        .join(", ")}`,
      key,
    });
  }
  const { type } = found.node;
  const raw = type === "list" || type === "map" ? parseStructure(text) : text;
  const result = checkValue(found.node, raw);
  if (result.ok) return result.value;
  throw new ConfigError("E_CONFIG_VALUE", `${key} ${result.problem}`, {
    hint: `hermes config get ${key} shows the present value`,
    key,
  });
}

/** JSON or YAML for lists and maps; `a, b` is a list as well. */
function parseStructure(text: string): unknown {
  const trimmed = text.trim();
  if (/^[[{]/.test(trimmed)) return parseConfigDocument(`value: ${trimmed}`, "the value").raw["value"];
  return trimmed === "" ? [] : trimmed.split(",").map((part) => part.trim());
}

/** The type of a value whose key has no default. */
function guessValue(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "on"].includes(word)) return true;
  if (["false", "no", "off"].includes(word)) return false;
  return /^[+-]?\d+(\.\d+)?$/.test(word) && Number.isSafeInteger(Math.trunc(Number(word))) ? Number(word) : text;
}

/** Names written in capitals, and names of secrets in any case, belong to .env. */
function isVariable(key: string): boolean {
  if (/^[A-Z_][A-Z0-9_]*$/.test(key)) return true;
  return /^[a-z0-9_]+$/i.test(key) && /(?:_API_KEY|_TOKEN)$|^TERMINAL_SSH|^FAL_KEY$|^SUDO_PASSWORD$/i.test(key);
}

function splitKey(key: string): string[] {
  const path = key.split(".");
  if (path.some((part) => part.trim() === "" || part === "__proto__")) {
    throw new ConfigError("E_CONFIG_KEY", `"${key}" is no key`, { hint: "like model.default", key });
  }
  return path;
}

function unknownKeyError(key: string, path: string): ConfigError {
  const near = nearestOf(key);
  return new ConfigError("E_CONFIG_UNKNOWN_KEY", `there is no setting "${key}"`, {
    hint: near === undefined ? "hermes config show lists all settings" : `did you mean ${near}?`,
    path,
    key,
  });
}

function suggestion(key: string): string {
  const near = nearestOf(key);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function nearestOf(key: string): string | undefined {
  const path = key.split(".");
  const name = path.at(-1) ?? key;
  const parent = findNode(path.slice(0, -1));
  const siblings = parent === undefined || isLeaf(parent.node) ? [] : Object.keys(parent.node);
  return nearestKey(key, name, siblings);
}
