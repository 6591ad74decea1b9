import { commands } from "./command-table.ts";

/** The text of `hermes --help`, from the static table: no command is loaded for it. */
export function helpText(version: string): string {
  const width = Math.max(...commands.map((command) => `${command.name} ${command.usage}`.length)) + 2;
  const rows = commands.map(
    (command) => `  ${`${command.name} ${command.usage}`.trim().padEnd(width)}${command.description}`,
  );
  return `hermes ${version}: a personal AI agent on your own machine

Usage: hermes [command] [options]

Commands
${rows.join("\n")}

Options of chat (also without the word chat)
  -q, --query TEXT       ask once, print the answer, end; "-" reads the question from stdin
  -Q, --quiet            only the answer on stdout
      --json             one event a line as JSON
  -m, --model MODEL      model for this run
      --provider NAME    provider for this run
  -r, --resume ID        go on with a session, by id, start of an id, or title
  -c, --continue         go on with the newest session
      --max-turns N      model calls at most in one turn
      --yolo             run dangerous commands without asking (what is recognized as catastrophic is still refused)

  -V, --version          print the version
  -h, --help             this text; hermes COMMAND --help tells more

First steps: hermes demo · hermes doctor · hermes chat
`;
}
