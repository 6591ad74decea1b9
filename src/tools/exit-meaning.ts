const meanings: Record<string, Record<number, string>> = {
  diff: { 1: "the files differ" },
  colordiff: { 1: "the files differ" },
  find: { 1: "some directories could not be read" },
  test: { 1: "the condition is false" },
  "[": { 1: "the condition is false" },
  curl: {
    6: "the host name could not be resolved",
    7: "the connection failed",
    22: "the server answered with an HTTP error",
    28: "the request timed out",
  },
  git: { 1: "often normal, like a diff with changes" },
};

const searchers = ["grep", "egrep", "fgrep", "rg", "ag", "ack"];

/** What an exit code other than 0 means when it is no failure or has a known cause, by the last command of a chain. */
export function exitMeaning(command: string, exitCode: number): string | undefined {
  const name = lastCommandName(command);
  if (name === undefined) return undefined;
  if (searchers.includes(name)) return exitCode === 1 ? "no matches" : undefined;
  return meanings[name]?.[exitCode];
}

function lastCommandName(command: string): string | undefined {
  const last = command
    .split(/\|\||&&|[|;\n]/)
    .map((part) => part.trim())
    .findLast((part) => part !== "");
  const word = last?.split(/\s+/).find((part) => !/^[A-Za-z_]\w*=/.test(part));
  return word?.split("/").at(-1);
}
