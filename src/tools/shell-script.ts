/** A text as one word of the shell, taken literally. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The script given to bash: the judged text runs unchanged through `eval`, stderr joins stdout so that lines keep
 * their order, and the working directory at the end goes to a file that the command does not know.
 */
export function shellScript(command: string, cwdFile?: string): string {
  const run = `exec 2>&1; eval -- ${quoteWord(command)}`;
  if (cwdFile === undefined) return run;
  return `trap -- ${quoteWord(`{ builtin pwd -P >${quoteWord(cwdFile)}; } 2>/dev/null`)} EXIT; ${run}`;
}

const dropped = /^(?:POSIXLY_CORRECT|SHELLOPTS|BASHOPTS|BASH_ENV|ENV|BASH_FUNC_.*)$/;
const standardPath = [
  "/opt/homebrew/bin",
  "/opt/homebrew/sbin",
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
];

/** An environment that cannot change what bash makes of a text, with the usual places in PATH. */
export function shellEnvironment(env: Record<string, string>): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.test(name)));
  const path = (kept["PATH"] ?? "").split(":").filter((entry) => entry !== "");
  const missing = standardPath.filter((entry) => !path.includes(entry));
  return { ...kept, PATH: [...path, ...missing].join(":") };
}
