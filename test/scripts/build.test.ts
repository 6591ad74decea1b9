import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cutChangelog, sectionOf } from "../../scripts/build/changelog.ts";
import { buildExecutable } from "../../scripts/build/executable.ts";
import { checkIntegrity, lockedPackage } from "../../scripts/build/npm-package.ts";
import { inlineBrowserData, rewriteEngineLoader } from "../../scripts/build/rewrites.ts";
import { findTarget, hostTarget, targets } from "../../scripts/build/targets.ts";

const root = join(import.meta.dir, "../..");

describe("the rewrite of libsql", () => {
  const source = readFileSync(join(root, "node_modules/libsql/index.js"), "utf8");

  test("names the engine literally and drops the platform packages", () => {
    const result = rewriteEngineLoader(source, "/x/index.node");
    expect(result).toContain('return require("/x/index.node");');
    expect(result).not.toContain("@neon-rs/load");
    expect(result).not.toContain("detect-libc");
    expect(result).not.toContain("require(`@libsql/");
  });

  test.each([
    ["function requireNative", "function loadNative", "the function requireNative"],
    ['require("@neon-rs/load")', 'require("@neon-rs/other")', 'the import of "@neon-rs/load"'],
  ])("fails clearly when %s is gone", (old, replacement, reason) => {
    expect(() => rewriteEngineLoader(source.replace(old, replacement), "/x")).toThrow(
      `libsql/index.js has changed: ${reason}`,
    );
  });
});

describe("the rewrite of playwright-core", () => {
  const data: Record<string, string> = { "package.json": '{"version":"1.2.3"}', "browsers.json": '{"browsers":[]}' };
  const readJson = (file: string): string => data[file] ?? "";

  test("puts both files in, and the result needs no file", () => {
    const source = `const packageRoot = path.default.join(__dirname, "..");
packageJSON = require(import_path8.default.join(packageRoot, "package.json"));
registry = new Registry(require(import_path19.default.join(packageRoot, "browsers.json")));`;
    expect(inlineBrowserData("coreBundle.js", source, readJson))
      .toBe(`const packageRoot = path.default.join(__dirname, "..");
packageJSON = ({"version":"1.2.3"});
registry = new Registry(({"browsers":[]}));`);
  });

  test("a file that reads only one of them is fine with one", () => {
    const source = 'const packageJSON = require(import_path.default.join(packageRoot, "package.json"));';
    expect(inlineBrowserData("package.js", source, readJson)).toBe('const packageJSON = ({"version":"1.2.3"});');
  });

  test("fails clearly when a read is gone", () => {
    const source = 'packageJSON = require(import_path8.default.join(packageRoot, "package.json"));';
    expect(() => inlineBrowserData("coreBundle.js", source, readJson)).toThrow(
      "playwright-core/lib/coreBundle.js has changed: its read of browsers.json was not found",
    );
  });
});

describe("targets", () => {
  test("the lock file pins runtime and engine of each of the six", () => {
    expect(targets).toHaveLength(6);
    for (const { runtimePackage, enginePackage } of targets) {
      for (const name of [runtimePackage, enginePackage]) {
        expect(lockedPackage(root, name)).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
      }
    }
  });

  test("this machine is one of them, an unknown name lists all", () => {
    expect(targets).toContain(hostTarget());
    expect(() => findTarget("beos-ppc")).toThrow('unknown target "beos-ppc"; known: linux-x64, linux-x64-musl');
  });

  test("a package that is not locked, and one with other bytes, are refused", () => {
    expect(() => lockedPackage(root, "left-pad")).toThrow("package-lock.json does not pin left-pad");
    const bytes = Buffer.from("content");
    const digest = createHash("sha512").update(bytes).digest("base64");
    expect(() => checkIntegrity(bytes, `sha512-${digest}`, "x")).not.toThrow();
    expect(() => checkIntegrity(Buffer.from("other"), `sha512-${digest}`, "x")).toThrow(
      "x is not what package-lock.json names",
    );
  });
});

describe("a built executable, away from every node_modules", () => {
  let world: string;
  let executable: string;

  beforeAll(async () => {
    world = mkdtempSync(join(tmpdir(), "hermes-build-"));
    const source = join(world, "source");
    mkdirSync(join(source, "deep"), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
    writeFileSync(
      join(source, "main.ts"),
      `declare const HERMES_VERSION: string;
       if (process.argv[2] === "version") console.log(HERMES_VERSION, process.env.FROM_DOTENV ?? "none");
       else {
         const { ask } = await import("./deep/ask.ts");
         console.log(await ask());
         process.exit(0);
       }`,
    );
    writeFileSync(
      join(source, "deep/ask.ts"),
      `export const ask = () => new Promise((resolve) => {
         const worker = new Worker(new URL("./worker.ts", import.meta.url));
         worker.onmessage = (event) => resolve(event.data);
         worker.onerror = (event) => resolve(event.message);
         worker.postMessage("go");
       });`,
    );
    writeFileSync(
      join(source, "deep/worker.ts"),
      `import Database from "libsql";
       declare const self: Worker;
       self.onmessage = () => {
         const database = new Database(":memory:");
         self.postMessage(database.prepare("select 6 * 7 as answer").get().answer);
       };`,
    );
    const outfile = join(world, "built");
    await buildExecutable({
      root,
      entrypoints: [join(source, "main.ts"), join(source, "deep/worker.ts")],
      target: hostTarget(),
      outfile,
      bytecode: true,
      constants: { HERMES_VERSION: "9.9.9" },
    });
    rmSync(source, { recursive: true });
    executable = outfile;
  });

  afterAll(() => rmSync(world, { recursive: true, force: true }));

  async function run(args: string[], environment: Record<string, string> = {}): Promise<string> {
    const child = Bun.spawn([executable, ...args], {
      cwd: world,
      stdout: "pipe",
      stderr: "pipe",
      env: { HOME: world, HERMES_HOME: join(world, "home"), TMPDIR: world, ...environment },
    });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return (stdout + stderr).trim();
  }

  test("knows its constants and loads no .env of the working directory", async () => {
    writeFileSync(join(world, ".env"), "FROM_DOTENV=yes\n");
    expect(await run(["version"])).toBe("9.9.9 none");
  });

  test("opens the database engine in a worker", async () => {
    expect(await run([])).toBe("42");
  });

  test("where TMPDIR cannot be written, the engine is unpacked into the cache folder, for this user only", async () => {
    const file = join(world, "no-folder");
    writeFileSync(file, "");
    expect(await run([], { TMPDIR: file })).toBe("42");
    const folder = join(world, "home/cache/native");
    const [name, ...others] = readdirSync(folder);
    expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.node$/), []]);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name ?? "")).mode & 0o777]).toEqual([0o700, 0o700]);
    writeFileSync(join(folder, name ?? ""), "damaged");
    expect(await run([], { TMPDIR: file })).toBe("42");
  });

  test("where neither works, it says what to set", async () => {
    const file = join(world, "no-folder");
    writeFileSync(file, "");
    expect(await run([], { TMPDIR: file, HERMES_HOME: join(file, "home") })).toContain(
      "Set TMPDIR to a folder that is writable and not mounted noexec",
    );
  });
});

test("an executable without the database engine is no executable", async () => {
  const world = mkdtempSync(join(tmpdir(), "hermes-build-"));
  writeFileSync(join(world, "main.ts"), "console.log(1);");
  const built = buildExecutable({
    root,
    entrypoints: [join(world, "main.ts")],
    target: hostTarget(),
    outfile: join(world, "built"),
    bytecode: false,
    constants: {},
  });
  const outcome = await built.then(() => "built", String);
  expect(outcome).toContain("libsql/index.js is not part of the bundle");
  rmSync(world, { recursive: true });
});

describe("the changelog", () => {
  const text = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- x\n\n## [0.1.0] - 2026-01-01\n\n- old\n";

  test("is cut for a version", () => {
    const result = cutChangelog(text, "0.2.0", "2026-02-03");
    expect(result).toBe(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n"));
    expect(sectionOf(result, "0.2.0")).toBe("### Added\n\n- x");
    expect(sectionOf(result, "0.1.0")).toBe("- old");
    expect(sectionOf(result, "Unreleased")).toBe("");
  });

  test("is not cut twice, nor with nothing in it", () => {
    expect(() => cutChangelog(text, "0.1.0", "2026-02-03")).toThrow("has a section [0.1.0] already");
    expect(() => cutChangelog("## [Unreleased]\n\n## [0.1.0]\n- x\n", "0.2.0", "2026-02-03")).toThrow(
      "nothing is written",
    );
    expect(() => sectionOf(text, "3.0.0")).toThrow("no section [3.0.0]");
  });
});
