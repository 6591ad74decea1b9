import { describe, expect, test } from "bun:test";
import { chmodSync, ftruncateSync, openSync, closeSync, utimesSync, writeSync } from "node:fs";
import { searchByWalking, toExpression } from "../../src/tools/search/walker.ts";
import { searchWithRipgrep } from "../../src/tools/search/ripgrep.ts";
import type { FoundFile, SearchQuery } from "../../src/tools/search/query.ts";
import { createToolWorld } from "./tool-world.ts";

type World = ReturnType<typeof createToolWorld>;
const ripgrep = Bun.which("rg");

function putTree(world: World): void {
  world.put(".git/config", "needle");
  world.put(".gitignore", "ignored/\n*.log\n!keep.log\n");
  world.put("a.ts", "one\nneedle here\nthree\n");
  world.put("a.log", "needle");
  world.put("keep.log", "needle");
  world.put("ignored/x.ts", "needle");
  world.put(".hidden/x.ts", "needle");
  world.put("src/deep/b.ts", "x\r\nNEEDLE\r\nneedle$\r\n");
  world.put("src/.gitignore", "secret.ts\n");
  world.put("src/secret.ts", "needle");
  world.put("src/deep/file-12-name.py", "1\n2\n3\n4\n5\n6\n7\nneedle\n9\n");
  world.put("src/latin1.txt", Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xe9, 0x0a]));
  world.put("binary.bin", Buffer.from("needle\0needle"));
  world.put("weird:12:name.txt", "needle: -e --foo [x]\n");
}

async function gather(search: typeof searchByWalking, query: SearchQuery): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const control = {
    signal: new AbortController().signal,
    mayRead: () => true,
    onFile: (file: FoundFile) => files.push(file) > 0,
  };
  await search(query, control);
  return files;
}

const names = (files: FoundFile[], world: World): string[] =>
  files.map((file) => file.path.slice(world.root.length + 1));

describe("searching by walking", () => {
  test("leaves out hidden, ignored and binary files", async () => {
    await using world = createToolWorld();
    putTree(world);
    const files = await gather(searchByWalking, { pattern: "needle", root: world.root, contextLines: 0 });
    expect(names(files, world)).toEqual([
      "a.ts",
      "keep.log",
      "src/deep/b.ts",
      "src/deep/file-12-name.py",
      "src/latin1.txt",
      "weird:12:name.txt",
    ]);
  });

  test("searches a hidden folder that is named", async () => {
    await using world = createToolWorld();
    putTree(world);
    const files = await gather(searchByWalking, { pattern: "needle", root: world.path(".hidden"), contextLines: 0 });
    expect(names(files, world)).toEqual([".hidden/x.ts"]);
  });

  test("does not read a huge sparse file to its end", async () => {
    await using world = createToolWorld();
    const file = openSync(world.path("huge.txt"), "w");
    writeSync(file, "needle\n");
    ftruncateSync(file, 2_147_483_648);
    closeSync(file);
    expect(await gather(searchByWalking, { pattern: "needle", root: world.root, contextLines: 0 })).toEqual([]);
  });

  test("refuses a pattern that could take for ever", () => {
    expect(() => toExpression("(a+)+$")).toThrow("repeats a repetition");
    expect(() => toExpression("(ab?c)+d*")).not.toThrow();
  });

  test.each([
    ["(?i)needle", "NEEDLE", true],
    ["^[[:upper:]]+$", "ABC", true],
    ["^[[:upper:]]+$", "abc", false],
    ["a\\-b", "a-b", true],
    ["\\p{L}", "é", true],
  ])("understands %s", (pattern, text, expected) => {
    expect(toExpression(pattern).test(text)).toBe(expected);
  });
});

if (ripgrep !== null) {
  const withRipgrep = (query: SearchQuery, control: Parameters<typeof searchByWalking>[1]) =>
    searchWithRipgrep(query, control, { program: ripgrep, env: { PATH: "/usr/bin:/bin" } });
  const cases: [string, Partial<SearchQuery> & { pattern: string }, string][] = [
    ["everything", { pattern: "needle" }, ""],
    ["a folder below", { pattern: "needle" }, "src"],
    ["an ignored folder that is named", { pattern: "needle" }, "ignored"],
    ["a hidden folder that is named", { pattern: "needle" }, ".hidden"],
    ["one file", { pattern: "needle" }, "a.ts"],
    ["one kind of file", { pattern: "needle", fileGlob: "*.ts" }, ""],
    ["kinds in braces", { pattern: "needle", fileGlob: "*.{ts,py}" }, ""],
    ["all but one kind", { pattern: "needle", fileGlob: "!*.ts" }, ""],
    ["files of one folder", { pattern: "needle", fileGlob: "src/**/*.py" }, ""],
    ["lines around", { pattern: "needle", contextLines: 2 }, ""],
    ["the end of a line", { pattern: "(needle|here|\\$)$", fileGlob: "*.ts" }, ""],
    ["any case", { pattern: "(?i)needle" }, ""],
    ["a dash", { pattern: "-e" }, ""],
    ["nothing", { pattern: "absent" }, ""],
  ];
  test.each(cases)("ripgrep and walking agree on %s", async (_, query, folder) => {
    await using world = createToolWorld();
    putTree(world);
    const full = { contextLines: 0, root: folder === "" ? world.root : world.path(folder), ...query };
    const walked = await gather(searchByWalking, full);
    expect(await gather(withRipgrep, full)).toEqual(walked);
  });

  test("ripgrep's complaint about a pattern is passed on", async () => {
    await using world = createToolWorld();
    const query = { pattern: "(", root: world.root, contextLines: 0 };
    expect(gather(withRipgrep, query)).rejects.toThrow("no valid regular expression");
  });
}

describe("search_files", () => {
  const both = test.each([true, false]);
  const prepare = (world: World, usesRipgrep: boolean): void => {
    putTree(world);
    // without a PATH no other program is found
    if (!usesRipgrep) world.context.environment["PATH"] = "";
  };

  both("finds lines with their place (ripgrep allowed: %p)", async (usesRipgrep) => {
    await using world = createToolWorld();
    prepare(world, usesRipgrep);
    const { json } = await world.call("search_files", { pattern: "needle", file_glob: "*.ts" });
    expect(json).toEqual({
      total_count: 2,
      matches: [
        { path: "a.ts", line: 2, content: "needle here" },
        { path: "src/deep/b.ts", line: 3, content: "needle$" },
      ],
    });
  });

  both("keeps a name with -12- whole beside context lines (ripgrep allowed: %p)", async (usesRipgrep) => {
    await using world = createToolWorld();
    prepare(world, usesRipgrep);
    const { json } = await world.call("search_files", {
      pattern: "needle",
      path: "src/deep",
      file_glob: "*.py",
      context: 2,
    });
    expect(json["matches"]).toEqual(
      [6, 7, 8, 9].map((line) => ({
        path: "src/deep/file-12-name.py",
        line,
        content: line === 8 ? "needle" : String(line),
        ...(line === 8 ? {} : { context: true }),
      })),
    );
  });

  both("counts all matches, not only the page (ripgrep allowed: %p)", async (usesRipgrep) => {
    await using world = createToolWorld();
    prepare(world, usesRipgrep);
    world.put("many.txt", "many\n".repeat(120));
    const { json } = await world.call("search_files", { pattern: "many", limit: 10, offset: 100 });
    expect(json).toMatchObject({ total_count: 120, truncated: true, hint: "More results: use offset=110." });
    expect(json["matches"]).toHaveLength(10);
    expect((json["matches"] as { line: number }[])[0]?.line).toBe(101);
    const counted = await world.call("search_files", { pattern: "many", output_mode: "count" });
    expect(counted.json).toEqual({ total_count: 120, counts: { "many.txt": 120 } });
    const files = await world.call("search_files", { pattern: "many", output_mode: "files_only" });
    expect(files.json).toEqual({ total_count: 1, files: ["many.txt"] });
  });

  both("explains a broken pattern (ripgrep allowed: %p)", async (usesRipgrep) => {
    await using world = createToolWorld();
    prepare(world, usesRipgrep);
    const { json, isError } = await world.call("search_files", { pattern: "[" });
    expect(isError).toBe(true);
    expect(json["error"]).toContain("no valid regular expression");
    expect(json["hint"]).toContain("escape");
  });

  test.each(["-e", "--foo"])("takes %s as a pattern", async (pattern) => {
    await using world = createToolWorld();
    putTree(world);
    expect((await world.call("search_files", { pattern })).json["total_count"]).toBe(1);
  });

  test("keeps matches beside an unreadable file", async () => {
    await using world = createToolWorld();
    putTree(world);
    chmodSync(world.path("src"), 0o000);
    const { json, isError } = await world.call("search_files", { pattern: "needle", file_glob: "a.ts" });
    chmodSync(world.path("src"), 0o755);
    expect(isError).toBe(false);
    expect(json["total_count"]).toBe(1);
  });

  test("finds files by the end of their name, newest first", async () => {
    await using world = createToolWorld();
    const old = world.put("old/my-config", "");
    world.put("config", "");
    world.put("config.ts", "");
    utimesSync(old, new Date(0), new Date(0));
    const { json } = await world.call("search_files", { pattern: "config", target: "files" });
    expect(json).toEqual({ total_count: 2, files: ["config", "old/my-config"] });
    const globbed = await world.call("search_files", { pattern: "*.ts", target: "find" });
    expect(globbed.json["files"]).toEqual(["config.ts"]);
  });

  test("says that a path does not exist", async () => {
    await using world = createToolWorld();
    const { json, isError } = await world.call("search_files", { pattern: "x", path: "nope" });
    expect(isError).toBe(true);
    expect(json["error"]).toBe("Path not found: nope");
  });

  test("shows no file that must not be read, and masks secrets", async () => {
    await using world = createToolWorld();
    world.put(".hermes/auth.json", "needle");
    world.put("notes.txt", "needle ghp_abcdefghijklmnopqrstuvwxyz0123456789\n");
    const inside = await world.call("search_files", { pattern: "needle", path: ".hermes" });
    expect(inside.json["total_count"] ?? 0).toBe(0);
    const { json } = await world.call("search_files", { pattern: "needle" });
    expect(JSON.stringify(json)).not.toContain("ghp_abcdefghij");
  });

  test("warns at the third and blocks the fourth same search in a row", async () => {
    await using world = createToolWorld();
    putTree(world);
    const search = (offset = 0) => world.call("search_files", { pattern: "needle", offset });
    await search();
    expect((await search()).json["_warning"]).toBeUndefined();
    expect((await search()).json["_warning"]).toContain("3 times");
    expect((await search()).json).toMatchObject({ pattern: "needle", already_searched: 4 });
    expect((await search(1)).isError).toBe(false);
    await search();
    await search();
    await search();
    await world.call("terminal", { command: "true" });
    expect((await search()).isError).toBe(false);
  });
});
