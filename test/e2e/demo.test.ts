import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openTerminal } from "./terminal.ts";
import { createWorld, expectFriendlyFailure, toolCall } from "./world.ts";

setDefaultTimeout(60_000);

describe.concurrent("hermes demo", () => {
  test("mends the check, finds it again by search, and leaves the home and the temporary folder empty", async () => {
    await using world = await createWorld();
    const temporary = join(world.root, "tmp");
    mkdirSync(temporary);
    const env = { OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined, TMPDIR: temporary };
    const result = await world.run(["demo", "--fast"], { env });
    expect(result.code).toBe(0);
    expect(result.stderr).toBe("");
    expect(result.stdout).toContain("check passed: 36 cups");
    expect(result.stdout).toContain("the second found it by search");
    expect(result.stdout).not.toContain("\u001b");
    expect(readdirSync(world.hermesHome)).toEqual([]);
    // the one file that stays is a library inside the executable, which the runtime unpacks under a fixed name
    expect(readdirSync(temporary).filter((name) => !name.startsWith(".bun-"))).toEqual([]);
    expect(world.fake.requests).toHaveLength(0);
  });

  test("with a TMPDIR that cannot be written it fails and says what to set", async () => {
    await using world = await createWorld();
    const missing = join(world.root, "missing");
    const result = await world.run(["demo", "--fast"], { env: { NO_COLOR: "1", TMPDIR: missing } });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain(missing);
    expect(result.stderr).toContain("  try: set TMPDIR to a folder that can be written");
    expect(result.stdout + result.stderr).not.toContain("\u001b");
  });

  test("a chat works where TMPDIR cannot be written", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("terminal", { command: "cd / && pwd" }), { text: "worked" });
    const result = await world.ask("go", ["-Q"], { env: { TMPDIR: join(world.root, "missing") } });
    expect(result.stdout).toBe("worked\n");
    expect(JSON.parse(String(world.fake.requests[1]?.body.messages.at(-1)?.content))).toMatchObject({
      output: "/",
      exit_code: 0,
    });
  });

  test("a home that cannot be used does not matter to it", async () => {
    await using world = await createWorld();
    chmodSync(world.hermesHome, 0o000);
    const result = await world.run(["demo", "--fast"], { env: { HERMES_HOME: "/proc/nothing/here" } });
    chmodSync(world.hermesHome, 0o700);
    expect(result.code).toBe(0);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends it and leaves no folder behind", async (signal) => {
    await using world = await createWorld();
    const temporary = join(world.root, "tmp");
    mkdirSync(temporary);
    // a terminal gets it slowly enough to be in the middle of it
    await using demo = openTerminal(world, ["demo"], { TMPDIR: temporary });
    await demo.shows("I run the check first");
    demo.kill(signal);
    expect(await demo.ended).toBe(130);
    expect(readdirSync(temporary).filter((name) => !name.startsWith(".bun-"))).toEqual([]);
  });
});
