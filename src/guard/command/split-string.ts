const wordPattern = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s\\'"])+/gs;

/** Splits a text as `env -S` does: at blanks outside quotes, of which `\_` is one; `\c` ends it. */
export function splitString(text: string): string[] {
  const [read = ""] = text.replace(/\\[_tnrfv]/g, " ").split("\\c", 1);
  return (read.match(wordPattern) ?? []).map((word) =>
    word.replace(/\\(.)|["']/gs, (_, escaped?: string) => escaped ?? ""),
  );
}
