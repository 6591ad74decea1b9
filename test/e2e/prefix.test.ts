import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, sessionIdOf, toolCall } from "./world.ts";

setDefaultTimeout(60_000);

/** The bytes of one top-level array or object of a JSON text, as they were sent. */
function rawField(text: string, name: string): string {
  const start = text.indexOf(`"${name}":[`) + name.length + 3;
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "[" || character === "{")) depth += 1;
    else if (!quoted && (character === "]" || character === "}")) depth -= 1;
    if (depth === 0) return text.slice(start, index + 1);
  }
  throw new Error(`no ${name} in the request`);
}

test("over twenty turns of twenty processes every request begins with the bytes of the one before", async () => {
  await using world = await createWorld();
  world.fake.always((body) => {
    const asked = body.messages.filter((message) => message.role === "user").length;
    const isAnswered = body.messages.at(-1)?.role === "tool";
    if (asked % 4 === 0 && !isAnswered)
      return { text: "I look.\n", ...toolCall("terminal", { command: `echo "turn ${asked} ü 中"` }) };
    return {
      text: ` answer ${asked}: "quoted" \\ 中文 😀\n`,
      ...(asked % 3 === 0 ? { reasoning: `thought ${asked}` } : {}),
    };
  });
  const first = await world.ask("turn 1");
  const id = sessionIdOf(first);
  const elsewhere = join(world.root, "elsewhere");
  mkdirSync(elsewhere);
  for (let turn = 2; turn <= 20; turn += 1) {
    // what a frozen prompt must not follow: time, directory, context files, soul, settings
    if (turn === 5) writeFileSync(join(world.cwd, "AGENTS.md"), "Always answer in verse.\n");
    if (turn === 8) writeFileSync(join(world.hermesHome, "SOUL.md"), "You are a pirate.\n");
    if (turn === 12) writeFileSync(join(world.hermesHome, ".env"), "SOME_API_KEY=abcdefghijklmnop\n");
    const result = await world.run(["chat", "-r", id, "-q", `turn ${turn}`], {
      cwd: turn % 5 === 0 ? elsewhere : world.cwd,
      env: { HERMES_TEST_NOW: `2027-01-${String(turn).padStart(2, "0")}T08:00:00Z` },
    });
    expect(result.stderr).toContain(`session_id: ${id}`);
    expect(result.code).toBe(0);
  }
  const { requests } = world.fake;
  expect(requests).toHaveLength(25);
  const messages = requests.map((request) => rawField(request.text, "messages"));
  const tools = new Set(requests.map((request) => rawField(request.text, "tools")));
  expect(tools.size).toBe(1);
  for (const [index, sent] of messages.entries()) {
    const before = messages[index - 1];
    if (before !== undefined) expect(sent.slice(0, before.length)).toBe(`${before.slice(0, -1)},`);
  }
  expectNoViolations(world.fake);
});
