import { readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

const maxEntries = 50;
const maxResults = 5;

/** Full paths of files in the same directory that the writer of a wrong name may have meant, best first. */
export function similarFiles(path: string): string[] {
  const directory = dirname(path);
  return listNames(directory)
    .map((name) => ({ name, score: nameScore(basename(path), name) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, maxResults)
    .map(({ name }) => join(directory, name));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory).sort().slice(0, maxEntries);
  } catch {
    // no such directory either: then nothing is similar
    return [];
  }
}

/** 0 for nothing in common to 100 for the same name in another case. */
export function nameScore(wanted: string, name: string): number {
  const left = wanted.toLowerCase();
  const right = name.toLowerCase();
  if (left === right) return 100;
  if (stem(left) === stem(right)) return 90;
  if (right.startsWith(left) || left.startsWith(right)) return 70;
  if (right.includes(left)) return 60;
  if (right.length > 2 && left.includes(right)) return 40;
  if (extname(left) !== "" && extname(left) === extname(right) && commonShare(left, right) >= 0.4) return 30;
  return 0;
}

function stem(name: string): string {
  return basename(name, extname(name));
}

function commonShare(left: string, right: string): number {
  const leftSet = new Set(left);
  const rightSet = new Set(right);
  const common = [...leftSet].filter((character) => rightSet.has(character)).length;
  return common / Math.max(leftSet.size, rightSet.size, 1);
}
