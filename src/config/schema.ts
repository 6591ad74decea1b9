import { type Group, isLeaf, type Leaf, type ValuesOf } from "./leaf.ts";
import { faceKeys } from "./keys/face-keys.ts";
import { modelKeys } from "./keys/model-keys.ts";
import { toolKeys } from "./keys/tool-keys.ts";

/** Every key of config.yaml, as a tree of the file's own shape. */
export const schema = { ...modelKeys, ...toolKeys, ...faceKeys };

/** All settings with their types. Keys as in the file. */
export type ConfigValues = ValuesOf<typeof schema>;

/** One key for lists and help. */
export interface ConfigKey {
  /** dotted path */
  key: string;
  type: Leaf<unknown>["type"];
  default: unknown;
  description: string;
  choices: readonly string[];
  /** never printed in clear */
  secret: boolean;
  /** variable that is used when the file does not set the key */
  env: string | undefined;
}

/** Every key that hermes knows, in the order of the documentation. */
export function configKeys(): ConfigKey[] {
  return keysOf(schema, []);
}

function keysOf(group: Group, path: string[]): ConfigKey[] {
  return Object.entries(group).flatMap(([name, node]) => {
    if (!isLeaf(node)) return keysOf(node, [...path, name]);
    const { type, description, choices, secret, env } = node;
    return [{ key: [...path, name].join("."), type, default: node.default, description, choices, secret, env }];
  });
}

/** What stands at a path: a setting, a group of them, or undefined. A path into a map or list ends at its setting. */
export function findNode(path: string[]): { node: Leaf<unknown> | Group; rest: string[] } | undefined {
  let node: Leaf<unknown> | Group = schema;
  for (const [index, part] of path.entries()) {
    if (isLeaf(node)) return { node, rest: path.slice(index) };
    const next: Leaf<unknown> | Group | undefined = Object.hasOwn(node, part) ? node[part] : undefined;
    if (next === undefined) return undefined;
    node = next;
  }
  return { node, rest: [] };
}
