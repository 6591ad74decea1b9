import { expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFileLock } from "../../src/config/file-lock.ts";
import { createHome } from "./home.ts";

const source = join(import.meta.dir, "../../src/config/index.ts");

test("four processes that change both files at once lose nothing", async () => {
  using home = createHome({ config: "# kept\nagent:\n  max_turns: 3\n" });
  const code = `
    const { setConfigValue } = await import(${JSON.stringify(source)});
    const [id] = process.argv.slice(-1);
    for (let round = 0; round < 5; round += 1) {
      setConfigValue({ home: ${JSON.stringify(home.path)}, environment: {} }, "x.p" + id + "_" + round, "1");
      setConfigValue({ home: ${JSON.stringify(home.path)}, environment: {} }, "P" + id + "_" + round, "1");
    }`;
  const workers = [0, 1, 2, 3].map((id) =>
    Bun.spawn([process.execPath, "-e", code, String(id)], { stderr: "pipe", stdout: "ignore" }),
  );
  const errors = await Promise.all(workers.map((worker) => new Response(worker.stderr).text()));
  expect(errors.join("")).toBe("");
  expect(home.read("config.yaml").match(/p\d_\d: 1/g)).toHaveLength(20);
  expect(home.read("config.yaml")).toStartWith("# kept\nagent:\n  max_turns: 3\n");
  expect(home.read(".env").match(/^P\d_\d=1$/gm)).toHaveLength(20);
  expect(readdirSync(home.path).sort()).toEqual([".env", "config.yaml"]);
});

test("the lock of a process that is gone is taken over", async () => {
  using home = createHome();
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  writeFileSync(home.file("config.yaml.lock"), String(gone.pid));
  expect(withFileLock(home.file("config.yaml"), () => "done")).toBe("done");
  expect(readdirSync(home.path)).toEqual([]);
});

test.each([
  ["without a process in it, as a full disk leaves it", "", 3],
  ["with something else in it", "what\n", 3],
  ["of a process whose number another one has by now", String(process.ppid), 90],
])("a lock %s is taken over when it is old", (_, text, seconds) => {
  using home = createHome();
  const lock = home.file("config.yaml.lock");
  writeFileSync(lock, text);
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(lock, then, then);
  expect(withFileLock(home.file("config.yaml"), () => "done")).toBe("done");
  expect(readdirSync(home.path)).toEqual([]);
});

test("the lock is gone after a change that throws, and is there during it", () => {
  using home = createHome();
  const path = home.file("config.yaml");
  expect(() =>
    withFileLock(path, () => {
      throw new Error(`held: ${existsSync(`${path}.lock`)}`);
    }),
  ).toThrow("held: true");
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("a folder that is not there is an error with the next step", () => {
  using home = createHome();
  expect(() => withFileLock(home.file("nowhere/config.yaml"), () => 1)).toThrow("cannot be written");
});
