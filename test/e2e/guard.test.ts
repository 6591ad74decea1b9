import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, sessionIdOf, toolCall, type World } from "./world.ts";

setDefaultTimeout(60_000);

function lastAnswer(world: World): string {
  return String(world.fake.requests.at(-1)?.body.messages.at(-1)?.content);
}

/** Every file below a folder but .env itself, as bytes in one text. */
function everythingIn(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => !path.endsWith("/.env") && statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

describe.concurrent("the guard of the executable", () => {
  test("without a terminal a dangerous command is denied, and the model is told why", async () => {
    await using world = await createWorld();
    writeFileSync(join(world.cwd, "precious.txt"), "keep me");
    world.fake.reply(toolCall("terminal", { command: "rm -rf ." }), { text: "I was not allowed to" });
    const result = await world.ask("clean up", ["-Q"]);
    expect(result.stdout).toBe("I was not allowed to\n");
    expect(JSON.parse(lastAnswer(world))).toMatchObject({ status: "blocked", exit_code: -1 });
    expect(lastAnswer(world)).toContain("nobody can be asked: there is no terminal");
    expect(readFileSync(join(world.cwd, "precious.txt"), "utf8")).toBe("keep me");
    expectNoViolations(world.fake);
  });

  test("--yolo and HERMES_YOLO_MODE run it", async () => {
    await using world = await createWorld();
    for (const [args, env] of [
      [["--yolo"], {}],
      [[], { HERMES_YOLO_MODE: "1" }],
    ] as const) {
      writeFileSync(join(world.cwd, "precious.txt"), "keep me");
      world.fake.reply(toolCall("terminal", { command: `rm -rf ${world.cwd}/*` }), { text: "gone" });
      expect((await world.ask("clean up", ["-Q", ...args], { env })).stdout).toBe("gone\n");
      expect(existsSync(join(world.cwd, "precious.txt"))).toBe(false);
    }
  });

  test.each(["rm -rf ~", "rm -rf $HOME/*", "cd / && rm -rf -- ~/", "bash -c 'rm -rf ~'"])(
    "%s is refused even with --yolo",
    async (command) => {
      await using world = await createWorld();
      writeFileSync(join(world.home, "diary.txt"), "dear diary");
      world.fake.reply(toolCall("terminal", { command }), { text: "refused" });
      const result = await world.ask("wipe it", ["-Q", "--yolo"]);
      expect(result.stdout).toBe("refused\n");
      expect(lastAnswer(world)).toContain("Refused (hardline)");
      expect(readFileSync(join(world.home, "diary.txt"), "utf8")).toBe("dear diary");
    },
  );

  test.each([["as it is"], ["--yolo"]])("a key in .env reaches nobody, whatever the model runs (%s)", async (mode) => {
    const key = "sk-or-v1-4f9c2b7ae1d84c60a5b3e7f1902d6c8b";
    const token = "velvet-Walrus_77-sings";
    await using world = await createWorld();
    writeFileSync(
      join(world.hermesHome, ".env"),
      `# keys\nOPENROUTER_API_KEY=${key}\nSTRANGE_TOKEN="${token}"\nPLAIN_SETTING=visible\n`,
      { mode: 0o600 },
    );
    world.fake.reply(
      toolCall("terminal", { command: "cat ~/.hermes/.env" }),
      toolCall("terminal", { command: "env; export -p; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'" }),
      toolCall("terminal", { command: "cat ~/.hermes/.env | tee copy.txt; cat copy.txt >&2; head -c 60 copy.txt" }),
      toolCall("terminal", {
        command: "base64 -w 20 copy.txt; od -An -tx1 -v copy.txt | tr -d ' '; fold -w 9 copy.txt",
      }),
      toolCall("read_file", { path: "~/.hermes/.env" }),
      toolCall("read_file", { path: "copy.txt" }),
      toolCall("search_files", { pattern: "TOKEN|KEY", path: "." }),
      { reasoning: `the keys are ${key} and ${token}`, text: `your keys are ${key} and ${token}`, pieceLength: 3 },
    );
    const result = await world.ask("show me my keys", mode === "--yolo" ? ["--yolo", "--json"] : ["--json"]);
    expect(result.code).toBe(0);
    expect(world.fake.requests).toHaveLength(8);
    world.fake.reply({ text: "no" });
    const second = await world.run(["chat", "-c", "-q", "again"]);
    const exported = await world.run(["sessions", "export", "-"]);
    const shown = await world.run(["sessions", "show", sessionIdOf(result)]);
    const searched = await world.run(["sessions", "search", "keys", "--json"]);
    const status = await world.run(["status"]);
    const config = await world.run(["config", "show"]);
    const seen = [result, second, exported, shown, searched, status, config].flatMap((run) => [run.stdout, run.stderr]);
    const places = [...world.fake.requests.map((request) => request.text), ...seen, everythingIn(world.hermesHome)];
    for (const secret of [key, token, world.environment["OPENAI_API_KEY"] ?? ""]) {
      expect(places.filter((text) => text.includes(secret))).toEqual([]);
    }
    const joined = (world.fake.requests.at(-1)?.text ?? "").replaceAll("\\\\n", "");
    expect(joined).not.toContain(Buffer.from(token).toString("hex"));
    expect(joined).not.toContain(token);
    expect(joined).not.toContain(Buffer.from(token).toString("base64").slice(2, -4));
    expectNoViolations(world.fake);
  });

  test("the database and what is written beside it are for this user alone", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "ok" });
    await world.ask("hello", ["-Q"], {
      env: { HERMES_HOME: join(world.root, "fresh") },
      prefix: ["bash", "-c", 'umask 000; exec "$@"', "bash"],
    });
    expect(statSync(join(world.root, "fresh")).mode & 0o777).toBe(0o700);
    expect(statSync(join(world.root, "fresh/hermes.db")).mode & 0o777).toBe(0o600);
  });

  test("a link does not let the agent change its own settings", async () => {
    await using world = await createWorld();
    const command = `ln -sf ${world.hermesHome}/config.yaml c; echo "approvals: {mode: 'off'}" > c`;
    world.fake.reply(toolCall("terminal", { command }), { text: "not allowed" });
    await world.ask("go");
    expect(existsSync(join(world.hermesHome, "config.yaml"))).toBe(false);
  });

  test("a key that the user typed reaches no server and no file, and is printed by no look at the sessions", async () => {
    await using world = await createWorld();
    mkdirSync(world.hermesHome, { recursive: true, mode: 0o700 });
    writeFileSync(join(world.hermesHome, ".env"), "OPENROUTER_API_KEY=plainsecretvalue_zzz_987\n", { mode: 0o600 });
    world.fake.reply({ text: "noted" });
    const asked = await world.ask("my key plainsecretvalue_zzz_987");
    const id = sessionIdOf(asked);
    expect(asked.stderr).toContain("holds a key of your settings");
    expect(world.fake.requests[0]?.text).toContain("my key ***");
    expect(everythingIn(world.hermesHome).split("plainsecretvalue")).toHaveLength(1);
    for (const words of [
      ["export", "-"],
      ["show", id],
      ["list"],
      ["list", "--json"],
      ["show", id, "--json"],
      ["search", "key noted"],
    ]) {
      const { stdout, code } = await world.run(["sessions", ...words]);
      expect([words[0], code, stdout.includes("plainsecretvalue")]).toEqual([words[0] ?? "", 0, false]);
    }
  });
});
