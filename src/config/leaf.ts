import { z } from "zod";

/** One setting: its default, what values it takes, and what it is for. */
export interface Leaf<Value> {
  readonly leaf: true;
  readonly type: "boolean" | "integer" | "number" | "text" | "choice" | "list" | "map";
  readonly default: Value;
  /** a value as YAML or the environment gives it, brought to the type where that is safe */
  coerce(raw: unknown): unknown;
  readonly schema: z.ZodType<Value>;
  readonly description: string;
  /** the allowed words of a choice */
  readonly choices: readonly string[];
  /** variable that is used when the file does not set the key */
  readonly env: string | undefined;
  /** must never be printed */
  readonly secret: boolean;
}

export interface Group {
  readonly [key: string]: Leaf<unknown> | Group;
}

/** The values of a group of settings. */
export type ValuesOf<Node> = { [Key in keyof Node]: Node[Key] extends Leaf<infer Value> ? Value : ValuesOf<Node[Key]> };

interface LeafOptions {
  env?: string;
  secret?: boolean;
}

export function isLeaf(node: Leaf<unknown> | Group): node is Leaf<unknown> {
  return (node as { leaf?: unknown }).leaf === true;
}

function leaf<Value>(
  type: Leaf<Value>["type"],
  value: Value,
  makeSchema: () => z.ZodType<Value>,
  rest: LeafOptions & { description: string; coerce?: (raw: unknown) => unknown; choices?: readonly string[] },
): Leaf<Value> {
  let made: z.ZodType<Value> | undefined;
  return {
    leaf: true,
    type,
    default: value,
    // hundreds of schemas take longer to make than all the rest of a start; few of them are needed
    get schema() {
      made ??= makeSchema();
      return made;
    },
    description: rest.description,
    coerce: rest.coerce ?? ((raw) => raw),
    choices: rest.choices ?? [],
    env: rest.env,
    secret: rest.secret ?? false,
  };
}

const booleans: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false,
};

function toBoolean(raw: unknown): unknown {
  return typeof raw === "string" || typeof raw === "number" ? (booleans[String(raw).trim().toLowerCase()] ?? raw) : raw;
}

function toNumber(raw: unknown): unknown {
  return typeof raw === "string" && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(raw) ? Number(raw) : raw;
}

function toText(raw: unknown): unknown {
  return typeof raw === "number" || typeof raw === "boolean" ? String(raw) : raw;
}

export function boolean(value: boolean, description: string, options: LeafOptions = {}): Leaf<boolean> {
  return leaf("boolean", value, () => z.boolean(), { ...options, description, coerce: toBoolean });
}

export function integer(
  value: number,
  description: string,
  options: LeafOptions & { min?: number; max?: number } = {},
): Leaf<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  return leaf("integer", value, () => z.int().min(min).max(max), { ...options, description, coerce: toNumber });
}

/** A whole number that may stay unset. */
export function optionalInteger(description: string, options: LeafOptions = {}): Leaf<number | null> {
  return leaf<number | null>("integer", null, () => z.int().min(1).nullable(), {
    ...options,
    description,
    coerce: toNumber,
  });
}

export function number(
  value: number,
  description: string,
  options: LeafOptions & { min?: number; max?: number } = {},
): Leaf<number> {
  const { min = 0, max = Number.MAX_VALUE } = options;
  return leaf("number", value, () => z.number().min(min).max(max), { ...options, description, coerce: toNumber });
}

export function text(value: string, description: string, options: LeafOptions = {}): Leaf<string> {
  return leaf("text", value, () => z.string(), { ...options, description, coerce: toText });
}

/** One of some words. YAML 1.1 writes `off` and `on` as booleans, so those count as the words. */
export function choice<const Word extends string>(
  value: Word,
  words: readonly Word[],
  description: string,
  options: LeafOptions = {},
): Leaf<Word> {
  const coerce = (raw: unknown): unknown => {
    if (typeof raw === "boolean") return raw ? "on" : "off";
    return typeof raw === "string" ? raw.trim().toLowerCase() : raw;
  };
  return leaf<Word>("choice", value, () => z.enum(words), {
    ...options,
    description,
    coerce,
    choices: words,
  });
}

/** A list of texts; one text alone is a list of one. */
export function texts(value: string[], description: string, options: LeafOptions = {}): Leaf<string[]> {
  const coerce = (raw: unknown): unknown => {
    if (typeof raw === "string") return raw.trim() === "" ? [] : [raw];
    return Array.isArray(raw) ? raw.map(toText) : raw;
  };
  return leaf("list", value, () => z.array(z.string()), { ...options, description, coerce });
}

/** A list of records of one shape. */
export function records<Item>(makeItem: () => z.ZodType<Item>, description: string): Leaf<Item[]> {
  return leaf("list", [], () => z.array(makeItem()), { description });
}

/** Keys that the user chooses. */
export function map(description: string): Leaf<Record<string, unknown>> {
  return leaf("map", {}, () => z.record(z.string(), z.unknown()), { description });
}

/** A setting with a type of its own. */
export function custom<Value>(
  value: Value,
  makeSchema: () => z.ZodType<Value>,
  description: string,
  coerce?: (raw: unknown) => unknown,
): Leaf<Value> {
  return leaf("text", value, makeSchema, coerce === undefined ? { description } : { description, coerce });
}
