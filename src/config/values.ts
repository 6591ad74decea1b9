import { type Environment, readEnv } from "../base/env.ts";
import { isRecord } from "../base/json.ts";
import { nearestName } from "../base/nearest.ts";
import { type Group, isLeaf, type Leaf } from "./leaf.ts";
import { configKeys, type ConfigValues, schema } from "./schema.ts";

/** Something in the settings that was not taken as written. */
export interface ConfigWarning {
  /** one line for a person, with file and line */
  text: string;
  /** dotted path */
  key: string;
  /** line in config.yaml, undefined for the environment */
  line: number | undefined;
}

export interface ValueSource {
  raw: Record<string, unknown>;
  environment: Environment;
  /** how the file is named in warnings */
  fileName: string;
  lineOf(path: string[]): number | undefined;
}

/** Settings from the file, else the environment, else the default; whatever is wrong becomes a warning. */
export function readValues(source: ValueSource): { values: ConfigValues; warnings: ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const values = readGroup({ group: schema, raw: source.raw, path: [] }, source, warnings);
  // the tree was built from the schema, key by key
  return { values: values as ConfigValues, warnings };
}

interface Place {
  group: Group;
  raw: unknown;
  path: string[];
}

function readGroup(place: Place, source: ValueSource, warnings: ConfigWarning[]): Record<string, unknown> {
  const { group, path } = place;
  const warn = (key: string[], what: string): void => {
    const line = source.lineOf(key);
    const where = line === undefined ? source.fileName : `${source.fileName}:${line}`;
    warnings.push({ text: `${where}: ${key.join(".")}: ${what}`, key: key.join("."), line });
  };
  let raw: Record<string, unknown> = {};
  if (isRecord(place.raw)) raw = place.raw;
  // an empty section means its defaults
  else if (place.raw !== undefined && place.raw !== null) warn(path, `must be a section, not ${describe(place.raw)}`);
  for (const name of Object.keys(raw)) {
    if (!Object.hasOwn(group, name)) warn([...path, name], unknownKey(name, [...path, name].join("."), group));
  }
  return Object.fromEntries(
    Object.entries(group).map(([name, node]) => {
      const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
      const here = [...path, name];
      if (!isLeaf(node)) return [name, readGroup({ group: node, raw: value, path: here }, source, warnings)];
      if (value !== undefined && value !== null) {
        const problem = (what: string): void => warn(here, `${what}; the default ${quote(node.default)} is used`);
        return [name, readLeaf(node, value, problem)];
      }
      return [name, readFromEnvironment(node, here.join("."), source.environment, warnings)];
    }),
  );
}

function readLeaf(node: Leaf<unknown>, raw: unknown, warn: (what: string) => void): unknown {
  const result = checkValue(node, raw);
  if (result.ok) return result.value;
  if (node.type === "list" && Array.isArray(raw)) {
    const items = raw.filter((item) => checkValue(node, [item]).ok);
    warn(`${raw.length - items.length} of ${raw.length} entries are not usable: ${result.problem}`);
    return items;
  }
  warn(result.problem);
  return structuredClone(node.default);
}

function readFromEnvironment(
  node: Leaf<unknown>,
  key: string,
  environment: Environment,
  warnings: ConfigWarning[],
): unknown {
  const value = node.env === undefined ? undefined : readEnv(node.env, environment);
  if (value === undefined) return structuredClone(node.default);
  const result = checkValue(node, value.trim());
  if (result.ok) return result.value;
  const text = `environment: ${node.env}: ${result.problem}; the default ${quote(node.default)} is used`;
  warnings.push({ text, key, line: undefined });
  return structuredClone(node.default);
}

/** Brings a value to the type of a setting. `problem` says what was expected, without the value of a secret. */
export function checkValue(
  node: Leaf<unknown>,
  raw: unknown,
): { ok: true; value: unknown } | { ok: false; problem: string } {
  const coerced = node.coerce(raw);
  const parsed = node.schema.safeParse(coerced);
  if (parsed.success) return { ok: true, value: parsed.data };
  const found = node.secret ? "" : `, not ${describe(typeof coerced === "number" ? coerced : raw)}`;
  if (node.choices.length > 0) {
    const words = node.choices.filter((word) => word !== "").join(", ");
    return { ok: false, problem: `must be one of ${words}${found}` };
  }
  const issue = parsed.error.issues[0];
  if (issue?.code === "too_small" && node.type !== "list") {
    return { ok: false, problem: `must be at least ${String(issue.minimum)}${found}` };
  }
  if (issue?.code === "too_big" && node.type !== "list") {
    return { ok: false, problem: `must be at most ${String(issue.maximum)}${found}` };
  }
  if (node.type === "list" && Array.isArray(raw)) {
    return { ok: false, problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}` };
  }
  return { ok: false, problem: `must be ${typeNames[node.type]}${found}` };
}

const typeNames: Record<Leaf<unknown>["type"], string> = {
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  text: "text",
  choice: "one of its words",
  list: "a list",
  map: "a section",
};

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a section";
  return quote(value);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function unknownKey(name: string, key: string, group: Group): string {
  const near = nearestKey(key, name, Object.keys(group));
  return near === undefined ? "unknown key" : `unknown key; did you mean ${near}?`;
}

/** The known key closest to a dotted path: first among its siblings, then among all. */
export function nearestKey(key: string, name: string, siblings: string[]): string | undefined {
  const prefix = key.slice(0, key.length - name.length);
  const sibling = nearestName(name, siblings);
  if (sibling !== undefined) return `${prefix}${sibling}`;
  const all = configKeys().map((entry) => entry.key);
  return nearestName(key, all) ?? all.find((entry) => entry.endsWith(`.${name}`));
}
