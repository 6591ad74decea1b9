import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

const maxDiffMs = 500;

/** A unified diff with three lines of context; undefined when the files differ too much to compare in half a second. */
export function unifiedDiff(path: string, before: string, after: string): string | undefined {
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: maxDiffMs,
  });
}
