import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { budgetBatch, budgetResult } from "../../src/tools/index.ts";
import { createToolWorld } from "./tool-world.ts";

test("a result that fits stays as it is", async () => {
  await using world = createToolWorld();
  expect(await budgetResult("abc", { callId: "c", maxChars: 3, directory: world.path("r") })).toBe("abc");
});

test("a long result is saved whole, private, and shown as a preview cut at a line", async () => {
  await using world = createToolWorld();
  const text = `${"x".repeat(1400)}\n`.repeat(120);
  const shown = await budgetResult(text, { callId: "call/1", maxChars: 100_000, directory: world.path("r") });
  expect(shown).toStartWith("<persisted-output>\n");
  expect(shown).toEndWith(`${"x".repeat(1400)}\n</persisted-output>`);
  expect(shown.length).toBeLessThan(2000);
  expect(readFileSync(world.path("r/call_1.txt"), "utf8")).toBe(text);
  expect(statSync(world.path("r/call_1.txt")).mode & 0o777).toBe(0o600);
  expect(statSync(world.path("r")).mode & 0o777).toBe(0o700);
});

test("a second result of the same call id does not replace the first", async () => {
  await using world = createToolWorld();
  const options = { callId: "c", maxChars: 1, directory: world.path("r") };
  await budgetResult("first", options);
  expect(await budgetResult("second", options)).toContain("c-1.txt");
  expect(readFileSync(world.path("r/c.txt"), "utf8")).toBe("first");
});

test("a folder that others may look into is closed before anything is saved", async () => {
  await using world = createToolWorld();
  mkdirSync(world.path("r"), { mode: 0o755 });
  await budgetResult("text", { callId: "c", maxChars: 1, directory: world.path("r") });
  expect(statSync(world.path("r")).mode & 0o777).toBe(0o700);
});

test("a folder that is a link is not used", async () => {
  await using world = createToolWorld();
  mkdirSync(world.path("elsewhere"));
  symlinkSync(world.path("elsewhere"), world.path("r"));
  const shown = await budgetResult("text", { callId: "c", maxChars: 1, directory: world.path("r") });
  expect(shown).toContain("could not be saved");
  expect(readdirSync(world.path("elsewhere"))).toEqual([]);
});

test("a result that cannot be saved is cut with a notice", async () => {
  await using world = createToolWorld();
  writeFileSync(world.path("r"), "a file where the folder should be");
  const shown = await budgetResult("x".repeat(5000), { callId: "c", maxChars: 10, directory: world.path("r") });
  expect(shown).toContain("[Truncated: the result had 5000 characters and could not be saved");
  expect(shown).not.toContain("<persisted-output>");
});

test("an exempt tool's result is never saved", async () => {
  await using world = createToolWorld();
  const text = "x".repeat(500_000);
  expect(await budgetResult(text, { callId: "c", maxChars: Infinity, directory: world.path("r") })).toBe(text);
});

test("of a batch the largest results are saved until the sum fits", async () => {
  await using world = createToolWorld();
  const results = [90_000, 95_000, 60_000, 1000].map((size, index) => ({
    text: "x".repeat(size),
    callId: `c${index}`,
    isExempt: index === 0,
  }));
  const shown = await budgetBatch(results, world.path("r"));
  expect(shown.map((text) => text.startsWith("<persisted-output>"))).toEqual([false, true, false, false]);
});
