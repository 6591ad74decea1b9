import { isRecord, parseJson } from "../base/json.ts";

/**
 * Arguments with the types their schema asks for, where a model wrote a string for a number and the like.
 * A value that cannot be converted stays as it was, so that the schema's own check can name it.
 * @param schema a JSON Schema object
 */
export function coerceArguments(args: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? coerceValue(value, properties[name]) : value,
    ]),
  );
}

function coerceValue(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  const types = typesOf(schema);
  if (types.some((type) => hasType(value, type))) return value;
  if (types.includes("null") && value === "null") return null;
  for (const type of types) {
    const coerced = coerceTo(value, type);
    if (coerced !== value) return coerced;
  }
  return value;
}

/** Every type the schema allows, in order; `nullable` counts as null. */
function typesOf(schema: Record<string, unknown>): string[] {
  const own = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const nested = [schema["anyOf"], schema["oneOf"]].flatMap((list) =>
    Array.isArray(list) ? list.flatMap((option) => (isRecord(option) ? typesOf(option) : [])) : [],
  );
  const names = [...own, ...nested].filter((name) => typeof name === "string");
  return schema["nullable"] === true ? [...names, "null"] : names;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "null":
      return value === null;
    case "string":
      // text comes last in a union: "7" for integer or string is the number
      return false;
    default:
      return typeof value === type;
  }
}

function coerceTo(value: unknown, type: string): unknown {
  if (type === "array" && value !== null && typeof value !== "string") return [value];
  if (typeof value !== "string") return value;
  const text = value.trim();
  switch (type) {
    case "integer": {
      const number = toNumber(text);
      return Number.isInteger(number) ? number : value;
    }
    case "number":
      return toNumber(text) ?? value;
    case "boolean":
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : value;
    case "array": {
      const parsed = parseJson(text);
      return Array.isArray(parsed) ? parsed : [value];
    }
    case "object": {
      const parsed = parseJson(text);
      return isRecord(parsed) ? parsed : value;
    }
    default:
      return value;
  }
}

function toNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
