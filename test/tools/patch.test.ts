import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { parsePatch } from "../../src/tools/v4a/parse.ts";
import { createToolWorld } from "./tool-world.ts";

describe("patch in mode replace", () => {
  test("changes one text and shows the difference", async () => {
    await using world = createToolWorld();
    world.put("a.py", "def f():\n    return 1\n");
    const { json, diff } = await world.call("patch", { path: "a.py", old_string: "return 1", new_string: "return 2" });
    expect(world.text("a.py")).toBe("def f():\n    return 2\n");
    expect(json).toMatchObject({ success: true, files_modified: [world.path("a.py")], files_created: [] });
    expect(diff).toBe("--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n");
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no path", { old_string: "a", new_string: "b" }, "path is required"],
    ["no new text", { path: "a.txt", old_string: "a" }, "required"],
    ["an empty old text", { path: "a.txt", old_string: "", new_string: "b" }, "empty"],
    ["equal texts", { path: "a.txt", old_string: "a", new_string: "a" }, "identical"],
    ["several matches", { path: "a.txt", old_string: "x", new_string: "b" }, "Found 2 matches"],
    ["a text that is not there", { path: "a.txt", old_string: "qqqqqq", new_string: "b" }, "not found"],
    ["an unknown mode", { mode: "magic", path: "a.txt" }, "mode"],
    ["a directory", { path: ".", old_string: "x", new_string: "b" }, "directory"],
    ["a protected file", { path: "/etc/passwd", old_string: "x", new_string: "b" }, "denied"],
    ["no patch", { mode: "patch" }, "patch content is required"],
  ])("refuses %s and leaves the file alone", async (_, args, message) => {
    await using world = createToolWorld();
    world.put("a.txt", "x y x\n");
    const { json, isError } = await world.call("patch", args);
    expect(isError).toBe(true);
    expect(String(json["error"])).toContain(message);
    expect(world.text("a.txt")).toBe("x y x\n");
  });

  test("names similar files for one that does not exist", async () => {
    await using world = createToolWorld();
    world.put("config.yaml", "");
    const { json } = await world.call("patch", { path: "config.yml", old_string: "a", new_string: "b" });
    expect(json).toEqual({
      success: false,
      error: "File not found: config.yml",
      similar_files: [world.path("config.yaml")],
    });
  });

  test("shows similar lines when nothing matches", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "first\nthe quick brown fox\nlast\n");
    const { json } = await world.call("patch", { path: "a.txt", old_string: "the slow brown dog", new_string: "x" });
    expect(json["_hint"]).toBe("Similar lines in the file:\n2|the quick brown fox");
  });

  test("keeps all CRLF line ends of a file", async () => {
    await using world = createToolWorld();
    world.put("a.ini", "a=0\r\nkey=1\r\nb=2\r\n");
    await world.call("patch", { path: "a.ini", old_string: "key=1", new_string: "key=99\nmore=1" });
    expect(world.text("a.ini")).toBe("a=0\r\nkey=99\r\nmore=1\r\nb=2\r\n");
  });

  test("refuses a file that is not UTF-8 and leaves its bytes", async () => {
    await using world = createToolWorld();
    const bytes = Buffer.from([0x61, 0xe9, 0x0a, 0x62, 0x0a]);
    world.put("latin1.txt", bytes);
    const { json } = await world.call("patch", { path: "latin1.txt", old_string: "b", new_string: "c" });
    expect(json["error"]).toContain("not valid UTF-8");
    expect(json["hint"]).toContain("iconv");
    expect(world.bytes("latin1.txt")).toEqual(bytes);
  });

  test("keeps the mode and writes through a link", async () => {
    await using world = createToolWorld();
    chmodSync(world.put("real.sh", "old\n"), 0o750);
    symlinkSync("real.sh", world.path("link.sh"));
    await world.call("patch", { path: "link.sh", old_string: "old", new_string: "new" });
    expect(world.text("real.sh")).toBe("new\n");
    expect(statSync(world.path("real.sh")).mode & 0o777).toBe(0o750);
  });

  test("refuses a read-only file", async () => {
    await using world = createToolWorld();
    chmodSync(world.put("a.txt", "old\n"), 0o444);
    expect((await world.call("patch", { path: "a.txt", old_string: "old", new_string: "new" })).isError).toBe(true);
    expect(world.text("a.txt")).toBe("old\n");
  });

  test("edits a file of more than 2,000 lines and very long lines without losing any", async () => {
    await using world = createToolWorld();
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} ${"x".repeat(index === 10 ? 9000 : 5)}`);
    world.put("big.txt", lines.join("\n"));
    await world.call("patch", { path: "big.txt", old_string: "line 4999 xxxxx", new_string: "end" });
    expect(world.text("big.txt")).toBe([...lines.slice(0, -1), "end"].join("\n"));
  });

  test("refuses to write a masked secret over the real one", async () => {
    await using world = createToolWorld();
    const real = "a: 1\ntoken: ghp_abcdefghijklmnopqrstuvwxyz0123456789\n";
    world.put("a.yaml", real);
    const masked = "token: ghp_ab...6789";
    const args = { path: "a.yaml", old_string: `a: 1\n${real.split("\n")[1] ?? ""}`, new_string: `a: 2\n${masked}` };
    expect((await world.call("patch", args)).isError).toBe(true);
    expect(world.text("a.yaml")).toBe(real);
  });
});

describe("patch in mode patch", () => {
  const apply = async (files: Record<string, string>, patch: string) => {
    await using world = createToolWorld();
    for (const [name, content] of Object.entries(files)) world.put(name, content);
    const { json, isError } = await world.call("patch", { mode: "patch", patch });
    const names = readdirSync(world.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(world.root.length + 1))
      .sort();
    const after = Object.fromEntries(names.map((name) => [name, world.text(name)]));
    return { json, isError, after, root: world.root };
  };

  test.each<[string, Record<string, string>, string, Record<string, string>]>([
    [
      "updates a line",
      { "a.py": "def f():\n    return 1\n" },
      "*** Begin Patch\n*** Update File: a.py\n def f():\n-    return 1\n+    return 2\n*** End Patch",
      { "a.py": "def f():\n    return 2\n" },
    ],
    [
      "follows the file's indentation",
      { "a.py": "def f():\n    return 1\n" },
      "*** Update File: a.py\n@@ def f @@\n-return 1\n+return 2",
      { "a.py": "def f():\n    return 2\n" },
    ],
    [
      "makes two changes in one file",
      { a: "one\ntwo\nthree" },
      "***Update File:a\n@@\n-one\n+1\n@@\n-three\n+3\n",
      { a: "1\ntwo\n3" },
    ],
    [
      "shares context between hunks",
      { a: "1\n2\n3\n4\n5\n" },
      "*** Update File: a\n@@\n 1\n-2\n+two\n 3\n@@\n 3\n-4\n+four\n 5",
      { a: "1\ntwo\n3\nfour\n5\n" },
    ],
    ["keeps an empty context line", { a: "a\n\nb\n" }, "*** Update File: a\n a\n\n-b\n+c\n", { a: "a\n\nc\n" }],
    ["removes whole lines", { a: "a\nb\nc\n" }, "*** Update File: a\n-b", { a: "a\nc\n" }],
    ["removes the last line", { a: "a\nb" }, "*** Update File: a\n-b", { a: "a" }],
    ["prefers whole lines", { a: "bb\nb\n" }, "*** Update File: a\n-b\n+c", { a: "bb\nc\n" }],
    ["takes a line without prefix as context", { a: "x\ny\n" }, "*** Update File: a\nx\n-y\n+z", { a: "x\nz\n" }],
    ["adds at the end", { a: "x = 1\n" }, "*** Update File: a\n+# tail", { a: "x = 1\n# tail\n" }],
    ["adds behind a hint", { a: "x\nhere\ny\n" }, "*** Update File: a\n@@ here\n+new", { a: "x\nhere\nnew\ny\n" }],
    [
      "finds the place near the hint",
      { a: `def f\nx\n${"-\n".repeat(2000)}def g\nx\n` },
      "*** Update File: a\n@@ def g\n-x\n+y",
      { a: `def f\nx\n${"-\n".repeat(2000)}def g\ny\n` },
    ],
    [
      "adds a file in a new folder",
      {},
      "*** Add File: docs/n.md\n+line 1\n+\n+line 3\n",
      { "docs/n.md": "line 1\n\nline 3" },
    ],
    ["deletes a file", { a: "x", b: "y" }, "*** Delete File: a\n", { b: "y" }],
    ["moves a file", { "a.py": "x" }, "*** Move File: a.py -> b/c.py", { "b/c.py": "x" }],
    [
      "moves and changes a file",
      { "a.py": "x\n" },
      "*** Update File: a.py\n*** Move to: b.py\n-x\n+y",
      { "b.py": "y\n" },
    ],
    ["changes a file after moving it", { a: "x\n" }, "*** Move File: a -> b\n*** Update File: b\n-x\n+y", { b: "y\n" }],
    [
      "applies two updates of one file one after the other",
      { a: "x\n" },
      "*** Update File: a\n-x\n+y\n*** Update File: a\n-y\n+z",
      { a: "z\n" },
    ],
    [
      "keeps the line ends of the file whatever those of the patch",
      { a: "x\r\ny\r\n", b: "x\ny\n" },
      "*** Update File: a\r\n-y\r\n+z\r\n*** Update File: b\r\n-y\r\n+z\r\n",
      { a: "x\r\nz\r\n", b: "x\nz\n" },
    ],
    ["replaces a file by a new one", { a: "x" }, "*** Delete File: a\n*** Add File: a\n+y", { a: "y" }],
    ["ignores talk around it", { a: "x\n" }, "Sure:\n*** Update File: a\n-x\n+y\n*** End Patch\nDone", { a: "y\n" }],
  ])("%s", async (_, files, patch, expected) => {
    const { after, json } = await apply(files, patch);
    expect(json["error"]).toBeUndefined();
    expect(after).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string, string]>([
    [
      "a hunk that is not found",
      { a: "x\n", b: "y\n" },
      "*** Update File: a\n-x\n+z\n*** Update File: b\n-qqq\n+z",
      "not found",
    ],
    ["an added line without +", {}, "*** Add File: a\nline", "does not start with +"],
    ["an added file that exists", { a: "x" }, "*** Add File: a\n+y", "exists already"],
    ["a deleted file that is missing", {}, "*** Delete File: a", "not found"],
    ["a deletion after a good change", { a: "x\n" }, "*** Update File: a\n-x\n+y\n*** Delete File: b", "not found"],
    ["a move without a target", { a: "x" }, "*** Move File: a", "where to move"],
    ["a move onto a file", { a: "x", b: "y" }, "*** Move File: a -> b", "exists already"],
    ["nothing but prose", { a: "x" }, "please change it", "no operations"],
    ["an update without hunks", { a: "x" }, "*** Update File: a\n", "changes nothing"],
    ["an update of context only", { a: "x\n" }, "*** Update File: a\n x", "changes nothing"],
    ["an ambiguous hint", { a: "h\nh\n" }, "*** Update File: a\n@@ h\n+new", "2 lines hold"],
    ["ambiguous lines", { a: "x\n-\nx\n" }, "*** Update File: a\n-x\n+y", "Found 2 matches"],
    ["overlapping hunks", { a: "1\n2\n3\n" }, "*** Update File: a\n@@\n-1\n-2\n+x\n@@\n-2\n-3\n+y", "the same lines"],
    ["a path that climbs", { a: "x" }, "*** Add File: ../x\n+y", "must not hold .."],
    ["a protected path", { a: "x\n" }, "*** Update File: a\n-x\n+y\n*** Add File: /etc/cron.d/x\n+y", "denied"],
    ["an update of a deleted file", { a: "x\n" }, "*** Delete File: a\n*** Update File: a\n-x\n+y", "not found"],
  ])("writes nothing for %s", async (_, files, patch, message) => {
    const { after, json, isError } = await apply(files, patch);
    expect(isError).toBe(true);
    expect(String(json["error"])).toContain(message);
    expect(after).toEqual(files);
  });

  test("takes everything back when a later write fails", async () => {
    await using world = createToolWorld();
    world.put("a", "x\n");
    world.put("gone", "g\n");
    world.put("file", "f");
    const patch =
      "*** Update File: a\n-x\n+y\n*** Delete File: gone\n*** Add File: new/b\n+b\n*** Add File: file/c\n+c";
    const { json, isError } = await world.call("patch", { mode: "patch", patch });
    expect(isError).toBe(true);
    expect(json["error"]).toBeString();
    expect([world.text("a"), world.text("gone")]).toEqual(["x\n", "g\n"]);
    expect(existsSync(world.path("new"))).toBe(false);
    expect(readdirSync(world.root).sort()).toEqual(["a", "file", "gone"]);
  });

  test("reports what it did to each file", async () => {
    const { json, root } = await apply(
      { a: "x\n", c: "c", d: "d" },
      "*** Update File: a\n-x\n+y\n*** Add File: b\n+b\n*** Delete File: c\n*** Move File: d -> e",
    );
    expect(json).toMatchObject({
      success: true,
      files_modified: [`${root}/a`, `${root}/d -> ${root}/e`],
      files_created: [`${root}/b`],
      files_deleted: [`${root}/c`],
    });
    expect(json["diff"]).toContain("--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+y\n");
  });

  test("keeps a change that breaks a JSON file, and says so", async () => {
    await using world = createToolWorld();
    world.put("a.json", '{"a": 1}');
    world.put("with-comments.json", '{"a": 1} // note');
    const broken = await world.call("patch", { path: "a.json", old_string: "1}", new_string: "1" });
    expect(broken.json).toMatchObject({ success: true, lint: { status: "error" } });
    expect(world.text("a.json")).toBe('{"a": 1');
    const other = await world.call("patch", { path: "with-comments.json", old_string: "1", new_string: "2" });
    expect(other.json["lint"]).toBeUndefined();
    const patch = "*** Add File: b.json\n+{";
    const added = await world.call("patch", { mode: "patch", patch });
    expect(added.json["lint"]).toMatchObject({ [world.path("b.json")]: { status: "error" } });
  });

  test("shows no secret in similar lines and differences", async () => {
    await using world = createToolWorld();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    world.put("a.txt", `the key is ${secret} now\nplain\n`);
    const patch = `*** Update File: a.txt\n-the key is ghp_ab...6789 now or never\n+x`;
    const missed = await world.call("patch", { mode: "patch", patch });
    expect(missed.isError).toBe(true);
    const replaced = await world.call("patch", { path: "a.txt", old_string: "plain", new_string: "other" });
    const written = await world.call("write_file", { path: "a.txt", content: "empty\n" });
    expect(JSON.stringify([missed, replaced, written])).not.toContain("ghp_abcdefghij");
    expect(written.diff).toContain("+empty");
  });

  test("moves a binary file as it is", async () => {
    await using world = createToolWorld();
    const bytes = Buffer.from([0, 255, 254, 1]);
    chmodSync(world.put("a.bin", bytes), 0o700);
    await world.call("patch", { mode: "patch", patch: "*** Move File: a.bin -> b.bin" });
    expect(world.bytes("b.bin")).toEqual(bytes);
    expect(statSync(world.path("b.bin")).mode & 0o777).toBe(0o700);
  });

  test("reads hints with and without a closing mark", () => {
    const [operation] = parsePatch("*** Update File: a\n@@ def f @@\n-x\n@@ class B\n+y\n\\ No newline at end of file");
    expect(operation).toEqual({
      kind: "update",
      path: "a",
      hunks: [
        { hint: "def f", lines: [{ kind: "remove", text: "x" }] },
        { hint: "class B", lines: [{ kind: "add", text: "y" }] },
      ],
    });
  });
});
