import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { damagePage } from "../store/damage.ts";
import { createWorld } from "./world.ts";

setDefaultTimeout(60_000);

const filler = Array.from({ length: 450 }, (_, index) => `word${index}`).join(" ");

test("a damaged page is found by doctor, and doctor --fix keeps the file and copies what can be read", async () => {
  await using world = await createWorld();
  for (const name of ["oak", "beech", "willow"]) {
    world.fake.reply({ text: `about ${name}: ${filler}` });
    expect((await world.ask(`what is a ${name}?`)).code).toBe(0);
  }
  const path = join(world.hermesHome, "hermes.db");
  damagePage(path, "what is a beech?");

  const told = await world.run(["doctor"]);
  expect(told.code).toBe(1);
  expect(told.stdout).toContain("has damaged pages");
  expect(told.stdout).toContain("hermes doctor --fix");

  const fixed = await world.run(["doctor", "--fix"]);
  const [, kept = ""] = /the damaged file is kept as (\S+)/.exec(fixed.stdout) ?? [];
  expect(existsSync(kept)).toBe(true);
  expect((await world.run(["doctor"])).stdout).toContain("3 sessions");
  expect((await world.run(["sessions", "search", "willow"])).stdout).toContain("willow");
  world.fake.reply({ text: "a tree" });
  expect((await world.ask("and an elm?")).code).toBe(0);
});
