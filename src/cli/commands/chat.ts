import { defineCommand } from "citty";
import { HermesError } from "../../base/errors.ts";

export default defineCommand({
  meta: { name: "chat", description: "Talk to the agent, or ask one question" },
  args: {
    query: {
      type: "string",
      alias: "q",
      description: "ask once and end; - reads the question from stdin",
      valueHint: "TEXT",
    },
    quiet: { type: "boolean", alias: "Q", description: "only the answer on stdout, session_id on stderr" },
    json: { type: "boolean", description: "one event a line as JSON" },
    model: { type: "string", alias: "m", description: "model for this run", valueHint: "MODEL" },
    provider: { type: "string", description: "provider for this run", valueHint: "NAME" },
    resume: {
      type: "string",
      alias: "r",
      description: "go on with a session: id, start of an id, or title",
      valueHint: "ID",
    },
    continue: { type: "boolean", alias: "c", description: "go on with the newest session" },
    "max-turns": { type: "string", description: "model calls at most in one turn", valueHint: "N" },
    source: { type: "string", description: "source written to a new session", default: "cli", valueHint: "TAG" },
    yolo: {
      type: "boolean",
      description: "run dangerous commands without asking (what is recognized as catastrophic is still refused)",
    },
    words: { type: "positional", required: false, description: "title of the session for -c" },
  },
  async run({ args }) {
    const { warmWorkers } = await import("../../store/spawn.ts");
    // a session that goes on is read first, a new one only written
    warmWorkers(args.resume === undefined && args.continue !== true ? 1 : 2);
    const { startChat } = await import("../chat-start.ts");
    const title = args._.join(" ").trim();
    if (title !== "" && args.continue !== true) {
      throw new HermesError("E_USAGE", `unexpected word "${args._[0]}"`, {
        exitCode: 2,
        hint: `ask with: hermes chat -q "${title}"`,
      });
    }
    return await startChat({
      query: args.query,
      mode: args.json === true ? "json" : args.quiet === true ? "quiet" : "text",
      model: args.model,
      provider: args.provider,
      resume: title === "" ? args.resume : title,
      newest: args.continue === true && title === "",
      maxTurns: toCount(args["max-turns"]),
      source: args.source,
      yolo: args.yolo === true,
    });
  },
});

function toCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text.trim()) && value > 0) return value;
  throw new HermesError("E_USAGE", `--max-turns: "${text}" is not a whole number from 1`, {
    exitCode: 2,
    hint: 'hermes chat --max-turns 20 -q "your question"',
  });
}
