import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import {
  createWorld,
  fileAppears,
  hangingCommand,
  isAlive,
  sessionIdOf,
  type ShownSession,
  toolCall,
  type World,
} from "./world.ts";

setDefaultTimeout(60_000);

/** What was said, one line a message: `role: text or tool`. */
function spoken(session: ShownSession): string[] {
  return session.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.text ?? part.name).join(" ")}`);
}

async function goOn(world: World): Promise<string> {
  world.fake.reply({ text: "back again" });
  const result = await world.run(["chat", "-c", "-Q", "-q", "go on"]);
  expect(result.stdout).toBe("back again\n");
  expect(result.code).toBe(0);
  expectNoViolations(world.fake);
  return sessionIdOf(result);
}

describe.concurrent("after kill -9", () => {
  test("during a tool, the next process answers the open call, closes the turn and goes on", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "I wait.", ...toolCall("terminal", { command: hangingCommand }) });
    const running = world.start(["chat", "-m", "test-model", "--json", "-q", "wait for me"]);
    const child = Number(await fileAppears(join(world.cwd, "started"), running.ended));
    running.kill("SIGKILL");
    const id = sessionIdOf(await running.ended);
    expect(await goOn(world)).toBe(id);
    expect(spoken(await world.show(id))).toEqual([
      "user: wait for me",
      "assistant: I wait. terminal",
      expect.stringMatching(/^tool: The call was interrupted/),
      "user: go on",
      "assistant: back again",
    ]);
    expect(world.turns(id).map((turn) => turn.outcome)).toEqual(["interrupted", "completed"]);
    if (isAlive(child)) process.kill(child, "SIGKILL");
  });

  test("during a stream, the question is kept, the turn is closed and the next one follows it", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "this answer never ends", stallAfter: 3 });
    const running = world.start(["chat", "-m", "test-model", "--json", "-q", "tell me"]);
    await running.printed('"text-delta"');
    running.kill("SIGKILL");
    const id = sessionIdOf(await running.ended);
    expect(await goOn(world)).toBe(id);
    const lines = spoken(await world.show(id));
    expect(lines[0]).toBe("user: tell me");
    expect(lines.slice(-2)).toEqual(["user: go on", "assistant: back again"]);
    expect(world.turns(id).map((turn) => turn.outcome)).toEqual(["interrupted", "completed"]);
  });

  test("between a stored result and the next answer, the result is not asked for again", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("terminal", { command: "echo once >> runs" }), { text: "never", stallAfter: 0 });
    const running = world.start(["chat", "-m", "test-model", "--json", "-q", "run it once"]);
    await world.fake.arrived(2);
    running.kill("SIGKILL");
    const id = sessionIdOf(await running.ended);
    expect(await goOn(world)).toBe(id);
    expect(readFileSync(join(world.cwd, "runs"), "utf8")).toBe("once\n");
    const shown = await world.show(id);
    const results = shown.messages.filter((message) => message.role === "tool");
    expect(results).toHaveLength(1);
    expect(results[0]?.parts[0]?.text).toContain('"exit_code":0');
    expect(world.turns(id).map((turn) => turn.outcome)).toEqual(["interrupted", "completed"]);
  });

  test("of many processes in a row, everything that was answered is still there", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "answer 0" });
    const id = sessionIdOf(await world.ask("question 0"));
    for (let round = 1; round <= 5; round += 1) {
      world.fake.reply({ text: `answer ${round}` }, { text: "lost", stallAfter: 0 });
      expect((await world.run(["chat", "-r", id, "-q", `question ${round}`])).code).toBe(0);
      const running = world.start(["chat", "-r", id, "-q", `killed ${round}`]);
      await world.fake.arrived(1 + round * 2);
      running.kill("SIGKILL");
      await running.ended;
    }
    const lines = spoken(await world.show(id));
    for (let round = 0; round <= 5; round += 1) expect(lines).toContain(`assistant: answer ${round}`);
    for (let round = 1; round <= 5; round += 1) expect(lines).toContain(`user: killed ${round}`);
    expectNoViolations(world.fake);
  });
});

describe.concurrent("two processes", () => {
  test("in one session: the second is told that it is busy, and nothing is lost", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "ready" });
    const id = sessionIdOf(await world.ask("begin"));
    world.fake.reply(toolCall("terminal", { command: "echo on > started; until [ -e go ]; do sleep 0.05; done" }), {
      text: "first is done",
    });
    const first = world.start(["chat", "-r", id, "-Q", "-q", "long work"]);
    await fileAppears(join(world.cwd, "started"), first.ended);
    const second = await world.run(["chat", "-r", id, "-q", "me too"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(new RegExp(`^error: session ${id} is busy with a turn of .+$`, "m"));
    expect(second.stderr).toContain("  try: wait for it to end, or start a new session");
    expect(second.stderr).not.toMatch(/^\s+at /m);
    await Bun.write(join(world.cwd, "go"), "");
    expect((await first.ended).stdout).toBe("first is done\n");
    world.fake.reply({ text: "now you" });
    expect((await world.run(["chat", "-r", id, "-Q", "-q", "me too"])).stdout).toBe("now you\n");
    const lines = spoken(await world.show(id));
    expect(lines.filter((line) => line.startsWith("user:"))).toEqual([
      "user: begin",
      "user: long work",
      "user: me too",
    ]);
    expectNoViolations(world.fake);
  });

  test("four that start in one session at once: each finishes or is told that it is busy, none is lost half-way", async () => {
    await using world = await createWorld();
    world.fake.always((body) => ({ text: `answer to ${String(body.messages.at(-1)?.content)}` }));
    const id = sessionIdOf(await world.ask("begin"));
    const names = ["a", "b", "c", "d"];
    const results = await Promise.all(names.map((name) => world.run(["chat", "-r", id, "-Q", "-q", name])));
    const lines = spoken(await world.show(id));
    expect(lines.slice(0, 2)).toEqual(["user: begin", "assistant: answer to begin"]);
    for (const [index, result] of results.entries()) {
      const at = lines.indexOf(`user: ${names[index]}`);
      if (result.code === 0) expect(lines[at + 1]).toBe(`assistant: answer to ${names[index]}`);
      else expect([at, result.stderr]).toEqual([-1, expect.stringContaining("is busy with a turn")]);
    }
    expect(results.some((result) => result.code === 0)).toBe(true);
    expectNoViolations(world.fake);
  });

  test("six of them in sessions of one new home all finish and store everything", async () => {
    await using world = await createWorld();
    world.fake.always((body) =>
      body.messages.at(-1)?.role === "tool"
        ? { text: `done with ${String(body.messages[1]?.content)}` }
        : toolCall("terminal", { command: "echo working" }),
    );
    const names = ["one", "two", "three", "four", "five", "six"];
    const results = await Promise.all(names.map((name) => world.ask(name, ["-Q"])));
    expect(results.map((result) => [result.code, result.stdout])).toEqual(
      names.map((name) => [0, `done with ${name}\n`]),
    );
    for (const [index, result] of results.entries()) {
      const shown = await world.show(sessionIdOf(result));
      expect(spoken(shown)[0]).toBe(`user: ${names[index]}`);
      expect(shown.messages).toHaveLength(4);
    }
    expectNoViolations(world.fake);
  });
});
