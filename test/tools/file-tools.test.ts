import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { nameScore } from "../../src/tools/similar-files.ts";
import { createToolWorld } from "./tool-world.ts";

describe("read_file", () => {
  test("numbers lines and tells how to go on", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "one\ntwo\nthree\nfour\n");
    const { json } = await world.call("read_file", { path: "a.txt", offset: 2, limit: 2 });
    expect(json).toMatchObject({ content: "2|two\n3|three", total_lines: 4, file_size: 19, truncated: true });
    expect(json["hint"]).toBe("Lines 2-3 of 4 shown. Use offset=4 to read on.");
  });

  test.each([
    ["a file without a newline at its end", "a\nb", "1|a\n2|b", 2],
    ["an empty file", "", "", 0],
    ["one empty line", "\n", "1|", 1],
    ["CRLF lines", "a\r\nb\r\n", "1|a\n2|b", 2],
    ["a byte order mark", "\ufeffkey=1\n", "1|key=1", 1],
  ])("counts and shows %s", async (_, content, shown, total) => {
    await using world = createToolWorld();
    world.put("a.txt", content);
    expect((await world.call("read_file", { path: "a.txt" })).json).toMatchObject({
      content: shown,
      total_lines: total,
      truncated: false,
    });
  });

  test.each<[Record<string, unknown>, string, number]>([
    [{ limit: 5000 }, "1|1", 2000],
    [{ limit: 0 }, "1|1", 1],
    [{ limit: "abc" }, "1|1", 500],
    [{ offset: -3, limit: 1 }, "1|1", 1],
    [{ offset: "5", limit: "2" }, "5|5", 2],
  ])("brings %j into range", async (range, first, count) => {
    await using world = createToolWorld();
    world.put("a.txt", Array.from({ length: 3000 }, (_, index) => index + 1).join("\n"));
    const lines = String((await world.call("read_file", { path: "a.txt", ...range })).json["content"]).split("\n");
    expect(lines[0]).toBe(first);
    expect(lines).toHaveLength(count);
  });

  test("cuts a very long line and says so", async () => {
    await using world = createToolWorld();
    world.put("a.txt", `${"日".repeat(300_000)}\nend\n`);
    const { json } = await world.call("read_file", { path: "a.txt" });
    expect(json["content"]).toBe(`1|${"日".repeat(2000)}... [truncated]\n2|end`);
  });

  test("refuses a range of too many characters", async () => {
    await using world = createToolWorld();
    world.put("a.txt", `${"x".repeat(1500)}\n`.repeat(100));
    const { json, isError } = await world.call("read_file", { path: "a.txt" });
    expect(isError).toBe(true);
    expect(json).toMatchObject({ path: "a.txt", total_lines: 100, file_size: 150_100 });
  });

  test("reads the head of a huge sparse file without reading all of it", async () => {
    await using world = createToolWorld();
    const file = openSync(world.path("huge.log"), "w");
    writeSync(file, "line\n".repeat(1000));
    ftruncateSync(file, 2_147_483_648);
    closeSync(file);
    const { json } = await world.call("read_file", { path: "huge.log", limit: 2 });
    expect(json).toMatchObject({ content: "1|line\n2|line", truncated: true, file_size: 2_147_483_648 });
    expect(json["total_lines"]).toBeUndefined();
  });

  test.each([
    [300, true],
    [310, false],
  ])("takes 1,000 bytes with %i control characters for text: %p", async (controls, isText) => {
    await using world = createToolWorld();
    world.put("a.dat", "\u0001".repeat(controls) + "a".repeat(1000 - controls));
    const { isError } = await world.call("read_file", { path: "a.dat" });
    expect(isError).toBe(!isText);
  });

  test.each(["a.tar.gz", "a.sqlite", "a.PDF"])("refuses %s as binary by its name", async (name) => {
    await using world = createToolWorld();
    world.put(name, "text");
    expect((await world.call("read_file", { path: name })).json["is_binary"]).toBe(true);
  });

  test("describes an image without its content", async () => {
    await using world = createToolWorld();
    world.put("a.png", "x");
    expect((await world.call("read_file", { path: "a.png" })).json).toMatchObject({ is_image: true, file_size: 1 });
  });

  test("shows invalid UTF-8 with a note", async () => {
    await using world = createToolWorld();
    world.put("a.txt", Buffer.from([0x6f, 0x6b, 0xff, 0x0a]));
    const { json } = await world.call("read_file", { path: "a.txt" });
    expect(json).toMatchObject({ content: "1|ok\ufffd" });
    expect(json["_note"]).toContain("UTF-8");
  });

  test.each(["/dev/zero", "/dev/random", "/proc/self/fd/0", "/dev/stdin"])("refuses %s", async (path) => {
    await using world = createToolWorld();
    expect((await world.call("read_file", { path })).isError).toBe(true);
  });

  test("allows /dev/null", async () => {
    await using world = createToolWorld();
    expect((await world.call("read_file", { path: "/dev/null" })).json["content"]).toBe("");
  });

  test("refuses a link to a device and a pipe", async () => {
    await using world = createToolWorld();
    symlinkSync("/dev/zero", world.path("link"));
    await world.call("terminal", { command: "mkfifo pipe" });
    expect((await world.call("read_file", { path: "link" })).isError).toBe(true);
    expect((await world.call("read_file", { path: "pipe" })).isError).toBe(true);
  });

  test("refuses a directory in words", async () => {
    await using world = createToolWorld();
    mkdirSync(world.path("sub"));
    expect((await world.call("read_file", { path: "sub" })).json["error"]).toContain("is a directory");
  });

  test("names similar files when there is none", async () => {
    await using world = createToolWorld();
    world.put("config.yaml", "");
    const { json } = await world.call("read_file", { path: "config.yml" });
    expect(json).toEqual({ error: "File not found: config.yml", similar_files: [world.path("config.yaml")] });
  });

  test("refuses the agent's own secrets", async () => {
    await using world = createToolWorld();
    world.put(".hermes/.env", "KEY=1");
    expect((await world.call("read_file", { path: ".hermes/.env" })).isError).toBe(true);
  });

  test("masks secrets, but not constants of source code", async () => {
    await using world = createToolWorld();
    world.put("notes.txt", "PASSWORD=hunter2-and-more\n");
    world.put("a.ts", 'const MAX_TOKENS=100;\nconst x = {"apiKey":"test"};\n');
    expect((await world.call("read_file", { path: "notes.txt" })).json["content"]).not.toContain("hunter2");
    expect((await world.call("read_file", { path: "a.ts" })).json["content"]).toBe(
      '1|const MAX_TOKENS=100;\n2|const x = {"apiKey":"test"};',
    );
  });

  test("says unchanged the second time, blocks the third, and reads again after a change", async () => {
    await using world = createToolWorld();
    const path = world.put("a.txt", "one\n");
    await world.call("read_file", { path: "a.txt" });
    expect((await world.call("read_file", { path: "a.txt" })).json).toMatchObject({
      status: "unchanged",
      dedup: true,
      content_returned: false,
    });
    expect((await world.call("read_file", { path: "a.txt" })).json["error"]).toStartWith("BLOCKED");
    expect((await world.call("read_file", { path: "a.txt", limit: 5 })).json["content"]).toBe("1|one");
    world.put("a.txt", "two\n");
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    expect((await world.call("read_file", { path: "a.txt" })).json["content"]).toBe("1|two");
  });

  test("reads what it wrote itself in the same moment", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "one\n");
    await world.call("read_file", { path: "a.txt" });
    await world.call("write_file", { path: "a.txt", content: "two\n" });
    expect((await world.call("read_file", { path: "a.txt" })).json["content"]).toBe("1|two");
  });

  test("warns at the third and blocks the fourth reading in a row after compaction", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "one\n");
    const read = () => {
      world.context.files.forgetReads();
      return world.call("read_file", { path: "a.txt" });
    };
    await read();
    expect((await read()).json["_warning"]).toBeUndefined();
    expect((await read()).json["_warning"]).toContain("3 times");
    expect((await read()).json).toMatchObject({ already_read: 4 });
    await world.call("terminal", { command: "true" });
    expect((await read()).json["content"]).toBe("1|one");
  });
});

describe("write_file", () => {
  test("writes the very bytes, creating folders", async () => {
    await using world = createToolWorld();
    const content = `'"$\`%\\ ünï 日本 😀\n${"x".repeat(200_000)}`;
    const { json } = await world.call("write_file", { path: "a/b/c.txt", content });
    expect(json).toMatchObject({
      bytes_written: Buffer.byteLength(content),
      dirs_created: true,
      resolved_path: world.path("a/b/c.txt"),
      files_modified: [world.path("a/b/c.txt")],
    });
    expect(world.text("a/b/c.txt")).toBe(content);
    expect(readdirSync(world.path("a/b"))).toEqual(["c.txt"]);
  });

  test("keeps line endings and byte order mark of the file it replaces", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "\ufeffa\r\nb\r\n");
    await world.call("write_file", { path: "a.txt", content: "x\ny\n" });
    expect(world.text("a.txt")).toBe("\ufeffx\r\ny\r\n");
  });

  test("keeps the mode of a file and writes through a link", async () => {
    await using world = createToolWorld();
    chmodSync(world.put("real.sh", "old"), 0o755);
    symlinkSync(world.path("real.sh"), world.path("link.sh"));
    await world.call("write_file", { path: "link.sh", content: "new" });
    expect(world.text("real.sh")).toBe("new");
    expect(statSync(world.path("real.sh")).mode & 0o777).toBe(0o755);
    expect(lstatSync(world.path("link.sh")).isSymbolicLink()).toBe(true);
  });

  test("gives a new file the usual mode", async () => {
    await using world = createToolWorld();
    await world.call("write_file", { path: "a.txt", content: "x" });
    expect(statSync(world.path("a.txt")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test("empties a file for an empty content and refuses a missing one", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "old");
    expect((await world.call("write_file", { path: "a.txt" })).isError).toBe(true);
    expect(world.text("a.txt")).toBe("old");
    await world.call("write_file", { path: "a.txt", content: "" });
    expect(world.text("a.txt")).toBe("");
  });

  test.each([
    ["the path of a directory", "sub", "is a directory"],
    ["a path through a file", "file/x", "is a file"],
    ["a file nobody may write", "locked.txt", "read-only"],
    ["a name that is too long", "n".repeat(300), "too long"],
    ["a blank path", "  ", "path is empty"],
    ["a device", "/dev/sda", "device"],
    ["a protected file", "~/.ssh/authorized_keys", "denied"],
    ["a protected file by a way round", "~/.ssh/../.ssh/config", "denied"],
    ["a system file", "/etc/passwd", "denied"],
    ["a path with NUL", "a\0b", "NUL"],
  ])("refuses %s and leaves nothing behind", async (_, path, message) => {
    await using world = createToolWorld();
    mkdirSync(world.path("sub"));
    world.put("file", "kept");
    chmodSync(world.put("locked.txt", "kept"), 0o444);
    const { json, isError } = await world.call("write_file", { path, content: "x" });
    expect(isError).toBe(true);
    expect(String(json["error"])).toContain(message);
    expect(readdirSync(world.root).sort()).toEqual(["file", "locked.txt", "sub"]);
    expect(world.text("file") + world.text("locked.txt")).toBe("keptkept");
  });

  test("refuses a link into a protected folder", async () => {
    await using world = createToolWorld();
    const home = world.context.environment["HOME"] ?? "";
    mkdirSync(join(home, ".ssh"), { recursive: true });
    symlinkSync(join(home, ".ssh"), world.path("folder"));
    expect((await world.call("write_file", { path: "folder/id_rsa", content: "x" })).isError).toBe(true);
    expect(existsSync(join(home, ".ssh/id_rsa"))).toBe(false);
  });

  test("keeps the old file when the disk takes no more", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "old");
    // a limit on file sizes makes the write fail half-way, as a full disk does
    const script = world.put(
      "run.ts",
      `import { saveFile } from ${JSON.stringify(join(import.meta.dir, "../../src/tools/file-save.ts"))};
       try { saveFile(${JSON.stringify(world.path("a.txt"))}, "x".repeat(200_000)); } catch (error) { process.exit(7); }`,
    );
    const child = Bun.spawn(["bash", "-c", `trap '' XFSZ; ulimit -f 16; exec "$0" "$1"`, process.execPath, script]);
    expect(await child.exited).toBe(7);
    expect(world.text("a.txt")).toBe("old");
    expect(readdirSync(world.root).sort()).toEqual(["a.txt", "run.ts"]);
  });

  test("replaces half surrogate pairs and says so", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("write_file", { path: "a.txt", content: "a\ud83d b" });
    expect(world.text("a.txt")).toBe("a\ufffd b");
    expect(json["_warning"]).toContain("surrogate");
  });

  test("warns when the file changed since it was read, but not for unread files or its own writes", async () => {
    await using world = createToolWorld();
    const path = world.put("a.txt", "one");
    const write = async () => (await world.call("write_file", { path: "a.txt", content: "x" })).json["_warning"];
    expect(await write()).toBeUndefined();
    await world.call("read_file", { path: "a.txt" });
    expect(await write()).toBeUndefined();
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    expect(await write()).toContain("changed since you last read it");
  });

  test("refuses the message of an unchanged read, but not a document that quotes it", async () => {
    await using world = createToolWorld();
    world.put("a.txt", "one");
    await world.call("read_file", { path: "a.txt" });
    const message = String((await world.call("read_file", { path: "a.txt" })).json["message"]);
    expect((await world.call("write_file", { path: "a.txt", content: message })).isError).toBe(true);
    const document = `${"text ".repeat(1000)}${message}`;
    expect((await world.call("write_file", { path: "a.txt", content: document })).isError).toBe(false);
  });

  test("refuses a numbered listing", async () => {
    await using world = createToolWorld();
    expect((await world.call("write_file", { path: "a.txt", content: "1|a\n2|b\n" })).isError).toBe(true);
  });

  test("refuses a masked secret in place of the real one", async () => {
    await using world = createToolWorld();
    const real = "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789\nname: x\n";
    world.put("a.yaml", real);
    const shown = String((await world.call("read_file", { path: "a.yaml" })).json["content"]);
    const content = shown.replaceAll(/^\d+\|/gm, "").replace("name: x", "name: y");
    expect((await world.call("write_file", { path: "a.yaml", content })).isError).toBe(true);
    expect(world.text("a.yaml")).toBe(real);
  });
});

describe("similar names", () => {
  test.each([
    ["config.yml", "config.yaml", 90],
    ["Readme.md", "README.md", 100],
    ["main", "main.ts", 90],
    ["zzz", "abc", 0],
  ])("%s and %s score %i", (wanted, name, score) => {
    expect(nameScore(wanted, name)).toBe(score);
  });
});
