import { similarity } from "./similarity.ts";

const minRatio = 0.7;

/** The known tool a model meant by a slightly wrong name, undefined when none is near. */
export function repairToolName(name: string, known: string[]): string | undefined {
  if (known.includes(name)) return name;
  const cut = name.split(/["'<>]/, 1)[0]?.trim() ?? "";
  if (cut === "") return undefined;
  for (const candidate of spellings(cut)) {
    if (known.includes(candidate)) return candidate;
  }
  return closest(toSnakeCase(cut), known);
}

/** Plain rewritings, the mildest first. */
function spellings(name: string): string[] {
  const lower = name.toLowerCase();
  const joined = lower.replace(/[-\s]+/g, "_");
  const snake = toSnakeCase(name);
  const stripped = withoutSuffix(snake);
  return [lower, joined, snake, withoutSuffix(joined), stripped, withoutSuffix(stripped)];
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-\s]+/g, "_")
    .toLowerCase();
}

function withoutSuffix(name: string): string {
  return name.replace(/[_-]?tool$/, "");
}

function closest(name: string, known: string[]): string | undefined {
  let best: { name: string; ratio: number } | undefined;
  for (const candidate of known) {
    const ratio = similarity(name, candidate);
    if (ratio >= minRatio && (best === undefined || ratio > best.ratio)) best = { name: candidate, ratio };
  }
  return best?.name;
}
