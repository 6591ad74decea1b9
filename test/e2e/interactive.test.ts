import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { keys, openTerminal, type TerminalSession } from "./terminal.ts";
import { createWorld, fileAppears, hangingCommand, isAlive, sessionIdOf, toolCall, type World } from "./world.ts";

setDefaultTimeout(60_000);

const prompt = "› ";

async function openChat(world: World, args: string[] = ["-m", "test-model"]): Promise<TerminalSession> {
  const chat = openTerminal(world, args);
  await chat.shows(prompt);
  return chat;
}

async function onlySession(world: World): Promise<string> {
  const sessions = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout) as { id: string }[];
  expect(sessions).toHaveLength(1);
  return sessions[0]?.id ?? "";
}

describe.concurrent("the chat in a terminal", () => {
  test("greets with model and provider, streams an answer, and ends with exit 0 on Ctrl-D", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    expect(chat.screen()).toContain("hermes · test-model · custom · /help");
    world.fake.reply({ text: "Good morning, 早上好!", pieceLength: 3 });
    chat.type(`good morning${keys.enter}`);
    await chat.shows("Good morning, 早上好!\n");
    await chat.shows(prompt);
    chat.type(keys.controlD);
    expect(await chat.ended).toBe(0);
    const id = await onlySession(world);
    expect(chat.screen()).toContain(`session ${id}; go on with: hermes -r ${id}`);
    expect((await world.show(id)).messages.map((message) => message.parts[0]?.text)).toEqual([
      "good morning",
      "Good morning, 早上好!",
    ]);
  });

  test("opened and closed it leaves no session behind", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    chat.type(keys.controlC);
    await chat.shows("Ctrl-C again or Ctrl-D ends the chat");
    chat.type(keys.controlC);
    expect(await chat.ended).toBe(0);
    expect((await world.run(["sessions", "list", "--json"])).stdout).toBe("[]\n");
  });

  test("Ctrl-C clears a line that was begun, and the next one is asked alone", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply({ text: "clean answer" });
    chat.type("drop this");
    await chat.shows("drop this");
    chat.type(`${keys.controlC}ask this${keys.enter}`);
    await chat.shows("clean answer");
    expect(world.fake.requests[0]?.body.messages.at(-1)).toEqual({ role: "user", content: "ask this" });
  });

  test("lines that are pasted together are one question", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply({ text: "one answer" });
    chat.type(`Error: it broke${keys.enter}  at line 1${keys.enter}why?${keys.enter}`);
    await chat.shows("one answer");
    expect(world.fake.requests.map((request) => request.body.messages.at(-1)?.content)).toEqual([
      "Error: it broke\n  at line 1\nwhy?",
    ]);
  });

  test("Ctrl-C interrupts a running answer, keeps the chat, and the next question is answered", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply({ text: "one two three four five", stallAfter: 3 });
    chat.type(`count${keys.enter}`);
    await chat.shows("one two");
    chat.type(keys.controlC);
    await chat.shows("interrupted");
    await chat.shows(prompt);
    world.fake.reply({ text: "second answer" });
    chat.type(`again${keys.enter}`);
    await chat.shows("second answer");
    await chat.shows(prompt);
    chat.type(`/quit${keys.enter}`);
    expect(await chat.ended).toBe(0);
    expect(world.turns(await onlySession(world)).map((turn) => turn.outcome)).toEqual(["interrupted", "completed"]);
    expectNoViolations(world.fake);
  });

  test("Ctrl-C ends a running command, and nothing of it is left", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply(toolCall("terminal", { command: hangingCommand }));
    chat.type(`hang${keys.enter}`);
    const child = Number(await fileAppears(join(world.cwd, "started"), chat.ended));
    chat.type(keys.controlC);
    await chat.shows("interrupted");
    await chat.shows(prompt);
    expect(isAlive(child)).toBe(false);
    chat.type(keys.controlD);
    expect(await chat.ended).toBe(0);
  });

  test("an approval asks: deny keeps the files, once runs this one, session covers those that follow", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    const folder = (name: string): string => join(world.cwd, name);
    const remove = async (name: string): Promise<void> => {
      mkdirSync(folder(name));
      world.fake.reply(toolCall("terminal", { command: `rm -rf ${folder(name)}` }), { text: `told about ${name}` });
      chat.type(`remove ${name}${keys.enter}`);
    };
    const answer = async (name: string, letter: string): Promise<void> => {
      const question = await chat.shows("Run it? [o]nce, for this [s]ession, [a]lways, [d]eny: ");
      expect(question).toContain(`rm -rf ${folder(name)}`);
      chat.type(`${letter}${keys.enter}`);
      await chat.shows(`told about ${name}`);
      await chat.shows(prompt);
    };
    await remove("first");
    await answer("first", "d");
    expect(existsSync(folder("first"))).toBe(true);
    await remove("second");
    await answer("second", "o");
    expect(existsSync(folder("second"))).toBe(false);
    await remove("third");
    await answer("third", "s");
    expect(existsSync(folder("third"))).toBe(false);
    await remove("fourth");
    const shown = await chat.shows("told about fourth");
    expect(shown).not.toContain("Run it?");
    expect(existsSync(folder("fourth"))).toBe(false);
    expectNoViolations(world.fake);
  });

  test("Ctrl-C at an approval runs nothing and interrupts the turn", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    mkdirSync(join(world.cwd, "kept"));
    world.fake.reply(toolCall("terminal", { command: `rm -rf ${join(world.cwd, "kept")}` }), { text: "and on" });
    chat.type(`remove it${keys.enter}`);
    await chat.shows("[d]eny: ");
    chat.type(keys.controlC);
    await chat.shows("interrupted");
    await chat.shows(prompt);
    expect(existsSync(join(world.cwd, "kept"))).toBe(true);
    chat.type(`go on${keys.enter}`);
    await chat.shows("and on");
    expectNoViolations(world.fake);
  });

  test("/help, /model, /new, /resume and an unknown command do what they say", async () => {
    await using world = await createWorld();
    world.fake.always((body) => ({ text: `<${body.model}: ${String(body.messages.at(-1)?.content)}>` }));
    const old = sessionIdOf(await world.ask("from the old session"));
    await using chat = await openChat(world);
    chat.type(`/help${keys.enter}`);
    for (const name of ["/new", "/resume", "/model", "/help", "/quit", "Ctrl-C"]) await chat.shows(name);
    await chat.shows(prompt);
    chat.type(`/frobnicate${keys.enter}`);
    await chat.shows('unknown command "/frobnicate"; /help lists all');
    chat.type(`/model other-model${keys.enter}`);
    await chat.shows("model other-model, provider custom");
    chat.type(`hello${keys.enter}`);
    await chat.shows("<other-model: hello>");
    chat.type(`/new${keys.enter}`);
    await chat.shows("a new session begins");
    chat.type(`fresh${keys.enter}`);
    await chat.shows("<test-model: fresh>");
    expect(world.fake.requests.at(-1)?.body.messages).toHaveLength(2);
    chat.type(`/resume${keys.enter}`);
    await chat.shows(old);
    chat.type(`/resume nobody${keys.enter}`);
    await chat.shows('error: no session "nobody"');
    chat.type(`/resume ${old}${keys.enter}`);
    await chat.shows(`session ${old}, 2 messages`);
    chat.type(`go on${keys.enter}`);
    await chat.shows("<test-model: go on>");
    expect(world.fake.requests.at(-1)?.body.messages).toHaveLength(4);
    chat.type(`/quit${keys.enter}`);
    expect(await chat.ended).toBe(0);
    expectNoViolations(world.fake);
  });

  test("what is typed while an answer runs is asked next", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply(toolCall("terminal", { command: "echo on > started; until [ -e go ]; do sleep 0.05; done" }));
    world.fake.reply({ text: "first answer" }, { text: "second answer" });
    chat.type(`first${keys.enter}`);
    await fileAppears(join(world.cwd, "started"), chat.ended);
    chat.type(`second${keys.enter}third`);
    await chat.shows("third");
    await Bun.write(join(world.cwd, "go"), "");
    await chat.shows("second answer");
    const asked = world.fake.requests.at(-1)?.body.messages.at(-1);
    expect(asked).toEqual({ role: "user", content: "second" });
    expectNoViolations(world.fake);
  });

  test("Ctrl-C drops what was typed ahead", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply(toolCall("terminal", { command: hangingCommand }), { text: "only this" });
    chat.type(`first${keys.enter}`);
    await fileAppears(join(world.cwd, "started"), chat.ended);
    chat.type(`delete everything${keys.enter}`);
    await chat.shows("delete everything");
    chat.type(keys.controlC);
    await chat.shows("interrupted");
    await chat.shows(prompt);
    chat.type(`hello${keys.enter}`);
    await chat.shows("only this");
    expect(world.fake.requests.some((request) => request.text.includes("delete everything"))).toBe(false);
    expectNoViolations(world.fake);
  });

  test("-c greets with the session that goes on", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "yes" });
    const id = sessionIdOf(await world.ask("remember me"));
    await using chat = await openChat(world, ["-c"]);
    expect(chat.screen()).toContain(`session ${id} goes on, 2 messages`);
  });

  test("a server that fails is told, and the chat goes on", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.fail(401, { body: JSON.stringify({ error: { message: "who are you" } }) });
    chat.type(`hello${keys.enter}`);
    await chat.shows("error: ");
    await chat.shows("  try: ");
    await chat.shows(prompt);
    world.fake.reply({ text: "now it works" });
    chat.type(`hello again${keys.enter}`);
    await chat.shows("now it works");
    expect(chat.screen()).not.toMatch(/^\s+at /m);
    expectNoViolations(world.fake);
  });

  test("SIGTERM during a command ends the command and the chat with 143, the turn stored as interrupted", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply(toolCall("terminal", { command: hangingCommand }));
    chat.type(`hang${keys.enter}`);
    const child = Number(await fileAppears(join(world.cwd, "started"), chat.ended));
    chat.kill("SIGTERM");
    expect(await chat.ended).toBe(143);
    expect(isAlive(child)).toBe(false);
    expect(world.turns(await onlySession(world))).toMatchObject([{ outcome: "interrupted" }]);
  });

  test("closing the window during a command ends it, and the turn is stored as interrupted", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply(toolCall("terminal", { command: hangingCommand }));
    chat.type(`hang${keys.enter}`);
    const child = Number(await fileAppears(join(world.cwd, "started"), chat.ended));
    chat.kill("SIGHUP");
    await chat.ended;
    expect(isAlive(child)).toBe(false);
    expect(world.turns(await onlySession(world))).toMatchObject([{ outcome: "interrupted" }]);
  });

  test("answers that hold control sequences cannot move the cursor or set the title", async () => {
    await using world = await createWorld();
    await using chat = await openChat(world);
    world.fake.reply({ text: "a\u001b]0;owned\u0007b\u001b[2Jc", pieceLength: 2 });
    chat.type(`trick${keys.enter}`);
    await chat.shows(/a.*b.*c\n/);
    await chat.shows(prompt);
    expect(chat.raw()).not.toContain("\u001b]");
    expect(chat.raw()).not.toContain("\u001b[2J");
    chat.type(keys.controlD);
    expect(await chat.ended).toBe(0);
  });
});
