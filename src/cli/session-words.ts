/**
 * Joins the unquoted words of a title behind `-c`, `-r` and their long forms, up to the next flag or command.
 * @example ["-c", "my", "project", "-q", "hi"] → ["-c", "my project", "-q", "hi"]
 */
export function joinSessionWords(argv: string[], commandNames: string[]): string[] {
  const output: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    output.push(word);
    if (word === "--") return [...output, ...argv.slice(index + 1)];
    if (word === "-q" || word === "--query") {
      const value = argv[index + 1];
      if (value !== undefined) output.push(value);
      index += 1;
      continue;
    }
    if (!["-c", "--continue", "-r", "--resume"].includes(word)) continue;
    const words: string[] = [];
    for (
      let next = argv[index + 1];
      next !== undefined && !next.startsWith("-") && !commandNames.includes(next);
      next = argv[index + 1]
    ) {
      words.push(next);
      index += 1;
    }
    if (words.length > 0) output.push(words.join(" "));
  }
  return output;
}
