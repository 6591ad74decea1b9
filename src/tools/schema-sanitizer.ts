import { isRecord, type JsonValue } from "../base/json.ts";

type Schema = Record<string, JsonValue>;

const alternatives = ["anyOf", "oneOf"] as const;

/**
 * A copy of a tool's parameter schema in the subset that every provider accepts: objects have `properties`,
 * null types become `nullable`, `required` names only what exists, nothing but an object at the top.
 */
export function sanitizeParameters(schema: unknown): Schema {
  if (!isRecord(schema)) return { type: "object", properties: {} };
  const copy = sanitizeNode(schema as Schema);
  for (const key of ["anyOf", "oneOf", "allOf", "$schema"]) delete copy[key];
  if (copy["type"] !== "object") copy["type"] = "object";
  if (!isRecord(copy["properties"])) copy["properties"] = {};
  return copy;
}

function sanitizeNode(node: Schema): Schema {
  const copy = collapseNull({ ...node });
  // the bounds of every safe integer say nothing
  if (copy["minimum"] === Number.MIN_SAFE_INTEGER) delete copy["minimum"];
  if (copy["maximum"] === Number.MAX_SAFE_INTEGER) delete copy["maximum"];
  if ("$ref" in copy) delete copy["default"];
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const list = copy[key];
    if (Array.isArray(list)) copy[key] = list.map(sanitizeValue);
  }
  for (const key of ["items", "additionalProperties", "not"]) {
    const value = copy[key];
    if (value !== undefined && typeof value !== "boolean") copy[key] = sanitizeValue(value);
  }
  for (const key of ["properties", "$defs", "definitions"]) {
    const members = copy[key];
    if (isRecord(members)) {
      copy[key] = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, sanitizeValue(value)]));
    }
  }
  return copy["type"] === "object" ? completeObject(copy) : copy;
}

/** `"object"` written where a schema belongs means `{type: "object"}`. */
function sanitizeValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return sanitizeNode({ type: value });
  return isRecord(value) ? sanitizeNode(value) : value;
}

function completeObject(node: Schema): Schema {
  const properties = isRecord(node["properties"]) ? node["properties"] : {};
  const copy: Schema = { ...node, properties: properties };
  if (Array.isArray(copy["required"])) {
    const known = copy["required"].filter((name) => typeof name === "string" && name in properties);
    if (known.length > 0) copy["required"] = known;
    else delete copy["required"];
  }
  return copy;
}

function collapseNull(node: Schema): Schema {
  const type = node["type"];
  if (Array.isArray(type) && type.includes("null")) {
    const others = type.filter((name) => name !== "null");
    const [only] = others;
    return { ...node, type: others.length === 1 && only !== undefined ? only : others, nullable: true };
  }
  for (const key of alternatives) {
    const options = node[key];
    if (!Array.isArray(options)) continue;
    const others = options.filter((option) => !(isRecord(option) && option["type"] === "null"));
    if (others.length === options.length) continue;
    const [only] = others;
    if (others.length === 1 && isRecord(only)) {
      const { [key]: _dropped, ...rest } = node;
      return { ...only, ...rest, nullable: true };
    }
    return { ...node, [key]: others, nullable: true };
  }
  return node;
}
