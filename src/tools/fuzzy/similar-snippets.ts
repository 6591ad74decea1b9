import { similarity } from "../similarity.ts";

const maxLines = 5000;
const maxSnippets = 3;
const minSimilarity = 0.5;

/** Places that look like the first line of a text that was not found, with line numbers; "" when there are none. */
export function similarSnippets(content: string, wanted: string): string {
  const target = wanted
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  if (target === undefined) return "";
  const lines = content.split("\n", maxLines);
  const size = Math.min(wanted.split("\n").length, 8);
  return lines
    .map((line, index) => ({ index, score: similarity(line.trim().slice(0, 300), target.slice(0, 300)) }))
    .filter(({ score }) => score >= minSimilarity)
    .sort((left, right) => right.score - left.score)
    .slice(0, maxSnippets)
    .map(({ index }) => numbered(lines.slice(index, index + size), index + 1))
    .join("\n---\n");
}

function numbered(lines: string[], first: number): string {
  return lines.map((line, index) => `${first + index}|${line.slice(0, 300)}`).join("\n");
}
