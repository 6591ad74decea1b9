import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { keys, openTerminal } from "./terminal.ts";
import { createWorld, type Finished, sessionIdOf, type World } from "./world.ts";

setDefaultTimeout(60_000);

const root = join(import.meta.dir, "../..");

/** The command lines of the code blocks of a document that run hermes, without their comments. */
function commandsOf(document: string): string[] {
  const text = readFileSync(join(root, document), "utf8");
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  const lines = blocks.flatMap((block) => block.split("\n")).map((line) => line.replace(/\s+#.*$/, "").trim());
  return lines.filter((line) => /(?:^|\| )hermes(?: |$)/.test(line));
}

/** Runs a line as it stands in bash, with `hermes` on the path. */
async function shell(world: World, line: string, env: Record<string, string> = {}): Promise<Finished> {
  const folder = join(world.root, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync(world.executable, join(folder, "hermes"));
  const path = `${folder}:${world.environment["PATH"] ?? ""}`;
  // the executable itself is started only by the line
  return await world.run([], { prefix: ["bash", "-c", line], env: { PATH: path, ...env } });
}

async function chatInTerminal(world: World, args: string[]): Promise<void> {
  world.fake.always({ text: "a fine answer" });
  await using chat = openTerminal(world, args);
  await chat.shows("› ");
  chat.type(`hello${keys.enter}`);
  await chat.shows("a fine answer");
  await chat.shows("› ");
  chat.type(keys.controlD);
  expect(await chat.ended).toBe(0);
}

async function answers(world: World, line: string): Promise<Finished> {
  world.fake.always({ text: "a fine answer" });
  const result = await shell(world, line);
  expect(result.code).toBe(0);
  expect(result.stdout).toContain("a fine answer");
  expectNoViolations(world.fake);
  return result;
}

const covered: Record<string, (world: World, line: string) => Promise<void>> = {
  "hermes demo": async (world, line) => {
    const result = await shell(world, line);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain("check passed: 36 cups");
  },
  "hermes doctor": async (world, line) => {
    const result = await shell(world, line);
    expect(result.stdout).toMatch(/✓ model/);
    expect(result.code).toBe(0);
  },
  hermes: (world) => chatInTerminal(world, []),
  "hermes -c": async (world) => {
    world.fake.always({ text: "a fine answer" });
    const before = sessionIdOf(await world.ask("before"));
    await chatInTerminal(world, ["-c"]);
    expect((await world.show(before)).messages).toHaveLength(4);
  },
  'hermes chat -q "which files here are larger than 10 MB?"': async (world, line) => {
    await answers(world, line);
  },
  'hermes sessions search "the bug in the parser"': async (world, line) => {
    world.fake.always({ text: "The parser forgot the last line." });
    const id = sessionIdOf(await world.ask("find the bug in the parser"));
    const result = await shell(world, line);
    expect(result.stdout).toContain(id);
    expect(result.code).toBe(0);
  },
  'hermes chat -m my-model -q "hello"': async (world, line) => {
    await answers(world, line);
    expect(world.fake.requests[0]?.body.model).toBe("my-model");
  },
  "hermes config set model.provider openrouter": async (world, line) => {
    expect((await shell(world, line)).code).toBe(0);
    expect((await world.run(["config", "get", "model.provider"])).stdout).toBe("openrouter\n");
  },
  "hermes config set OPENROUTER_API_KEY sk-...": async (world, line) => {
    const result = await shell(world, line);
    expect(result.code).toBe(0);
    expect(readFileSync(join(world.hermesHome, ".env"), "utf8")).toBe("OPENROUTER_API_KEY=sk-...\n");
  },
  'git diff | hermes chat -Q -q "review this"': async (world, line) => {
    const git = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a";
    writeFileSync(join(world.cwd, "notes.txt"), "old line\n");
    expect(Bun.spawnSync(["bash", "-c", git], { cwd: world.cwd, env: world.environment }).exitCode).toBe(0);
    writeFileSync(join(world.cwd, "notes.txt"), "new line\n");
    const result = await answers(world, line);
    expect(result.stdout).toBe("a fine answer\n");
    expect(String(world.fake.requests[0]?.body.messages[1]?.content)).toMatch(
      /^review this\n\ndiff [\s\S]*-old line\n\+new line/,
    );
  },
  'hermes chat --json -q "list the TODOs"': async (world, line) => {
    const result = await answers(world, line);
    const types = result.stdout
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(["turn-start", "turn-end"]);
  },
  'hermes chat -r ID -q "and now the tests"': async (world, line) => {
    world.fake.always({ text: "a fine answer" });
    const id = sessionIdOf(await world.ask("write the code"));
    await answers(world, line.replace("ID", id));
    expect((await world.show(id)).messages).toHaveLength(4);
  },
};

test("every command of the README is run below, and nothing below is missing from it", () => {
  expect([...new Set(commandsOf("README.md"))].sort()).toEqual(Object.keys(covered).sort());
});

test("the Chinese README shows the same commands", () => {
  const withoutQuestions = (line: string): string => line.replace(/"[^"]*"/g, '"…"');
  expect(commandsOf("README.zh-CN.md").map(withoutQuestions)).toEqual(commandsOf("README.md").map(withoutQuestions));
});

describe.concurrent("as the README says", () => {
  test.each(Object.keys(covered))("%s", async (line) => {
    await using world = await createWorld();
    await covered[line]?.(world, line);
  });
});
