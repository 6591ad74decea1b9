import { defineCommand } from "citty";

const json = { type: "boolean", description: "machine-readable" } as const;
const source = { type: "string", description: "only sessions of this source", valueHint: "SOURCE" } as const;
const id = {
  type: "positional",
  required: true,
  description: "id, start of an id, or title",
  valueHint: "ID",
} as const;

/** A whole number from 1; anything else is a usage error. */
async function toLimit(text: string): Promise<number> {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const { HermesError } = await import("../../base/errors.ts");
  throw new HermesError("E_USAGE", `--limit: "${text}" is not a number from 1`, { exitCode: 2, hint: "--limit 20" });
}

const list = defineCommand({
  meta: { name: "list", description: "The newest sessions" },
  args: { source, limit: { type: "string", default: "20", description: "at most so many", valueHint: "N" }, json },
  async run({ args }) {
    const { listReport } = await import("../session-report.ts");
    const filter = { source: args.source, limit: await toLimit(args.limit), json: args.json === true };
    await printSafe(listReport(filter));
  },
});

const show = defineCommand({
  meta: { name: "show", description: "One session with its messages" },
  args: { id, json },
  async run({ args }) {
    const { showReport } = await import("../session-report.ts");
    await printSafe(showReport(args.id, args.json === true));
  },
});

const search = defineCommand({
  meta: { name: "search", description: "Find sessions by a question or words" },
  args: {
    words: { type: "positional", required: true, description: "what to look for", valueHint: "WORDS" },
    source,
    limit: { type: "string", default: "10", description: "at most so many", valueHint: "N" },
    json,
  },
  async run({ args }) {
    const { searchReport } = await import("../session-report.ts");
    const filter = { source: args.source, limit: await toLimit(args.limit), json: args.json === true };
    await printSafe(searchReport(args._.join(" "), filter));
  },
});

const exportCommand = defineCommand({
  meta: { name: "export", description: "Write sessions as JSON lines; secrets are hidden" },
  args: {
    file: { type: "positional", required: true, description: "where to; - is stdout", valueHint: "FILE" },
    "session-id": { type: "string", description: "only this session", valueHint: "ID" },
    source,
  },
  async run({ args }) {
    const { exportReport } = await import("../session-report.ts");
    const told = await exportReport(args.file, { source: args.source, sessionId: args["session-id"] });
    if (told !== undefined) process.stdout.write(`${told}\n`);
  },
});

const deleteCommand = defineCommand({
  meta: { name: "delete", description: "Delete a session and those it continues" },
  args: { id, yes: { type: "boolean", alias: "y", description: "do not ask" } },
  async run({ args }) {
    const { deleteReport } = await import("../session-report.ts");
    process.stdout.write(`${await deleteReport(args.id, args.yes === true)}\n`);
  },
});

const rename = defineCommand({
  meta: { name: "rename", description: "Give a session a title" },
  args: { id, words: { type: "positional", required: true, description: "the title", valueHint: "TITLE" } },
  async run({ args }) {
    const { renameReport } = await import("../session-report.ts");
    process.stdout.write(`${await renameReport(args.id, args._.slice(1))}\n`);
  },
});

export default defineCommand({
  meta: { name: "sessions", description: "Past sessions" },
  subCommands: { list, show, search, export: exportCommand, delete: deleteCommand, rename },
});

/** Prints a report without the values that the settings keep secret. */
async function printSafe(report: Promise<string>): Promise<void> {
  const { redact } = await import("../../base/redact.ts");
  process.stdout.write(`${redact(await report, { patterns: false })}\n`);
}
