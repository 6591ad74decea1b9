import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeCommand, judgePath, type Place } from "../../src/guard/index.ts";

const world = realpathSync(mkdtempSync(join(tmpdir(), "hermes-guard-")));
const userHome = join(world, "ana");
const place: Place = { cwd: join(world, "project"), home: join(userHome, ".hermes"), userHome };

beforeAll(() => {
  for (const directory of [".ssh", ".hermes/skills/.hub", "notes"])
    mkdirSync(join(userHome, directory), { recursive: true });
  mkdirSync(place.cwd);
  writeFileSync(join(userHome, ".ssh/id_rsa"), "key");
  symlinkSync(join(userHome, ".ssh/id_rsa"), join(place.cwd, "notes.txt"));
  symlinkSync(join(userHome, ".ssh"), join(place.cwd, "keys"));
  symlinkSync(join(userHome, ".ssh/new_file"), join(place.cwd, "dangling"));
  symlinkSync("loop-b", join(place.cwd, "loop-a"));
  symlinkSync("loop-a", join(place.cwd, "loop-b"));
  symlinkSync(join(userHome, ".hermes"), join(world, "elsewhere"));
  symlinkSync("/dev/zero", join(place.cwd, "zero"));
});
afterAll(() => rmSync(world, { recursive: true, force: true }));

const writes = (path: string, where: Place = place): boolean => judgePath(path, "write", where).allowed;
const reads = (path: string, where: Place = place): boolean => judgePath(path, "read", where).allowed;

describe("not writable", () => {
  test.each([
    "~/.ssh/authorized_keys",
    "~/.ssh/id_rsa",
    "~/.ssh/config",
    "~/.ssh",
    "~/.ssh/../.ssh/config",
    "~/.SSH/config",
    "~/.hermes/.env",
    "~/.hermes/config.yaml",
    "~/.hermes/auth.json",
    "~/.hermes/hermes.db",
    "~/.hermes/mcp-tokens/x.json",
    "~/.hermes/pairing/telegram.json",
    "~/.hermes/plugins/x.ts",
    "~/.hermes/plugins/x/index.ts",
    "~/.hermes/SOUL.md",
    "~/.hermes/logs/agent.log",
    "~/.config/git/config",
    "~ana/.bashrc",
    "~root/.ssh/authorized_keys",
    ".git/hooks/pre-commit",
    ".git/config",
    ".GIT/config",
    "sub/.git/modules/lib/hooks/post-checkout",
    "sub/.git/worktrees/w/config.worktree",
    "~/.bashrc",
    "~/.zshrc",
    "~/.profile",
    "~/.netrc",
    "~/.npmrc",
    "~/.git-credentials",
    "~/.aws/credentials",
    "~/.gnupg/x",
    "~/.kube/config",
    "~/.docker/config.json",
    "~/.config/gh/hosts.yml",
    "/etc/passwd",
    "/etc/sudoers.d/x",
    "/etc/systemd/system/x.service",
    "/boot/x",
    "/usr/lib/systemd/x",
    "/var/run/docker.sock",
    "/dev/sda",
    "/proc/self/mem",
    "notes.txt",
    "keys/new",
    "keys/a/b/c",
    "dangling",
    "",
    "a\u0000b",
  ])("%j", (path) => {
    const verdict = judgePath(path, "write", place);
    expect(verdict.allowed).toBe(false);
    expect(verdict.reason).toBeString();
    expect(verdict.hint).toBeString();
  });
});

describe("writable", () => {
  test.each([
    "a.txt",
    "~/notes/x",
    "~/.sshx/file",
    "~/.hermes/skills/x/SKILL.md",
    "~/.hermes/memories/USER.md",
    ".env",
    ".git/COMMIT_EDITMSG",
    ".gitignore",
    "src/hooks/use-state.ts",
    "src/config",
    "plugins/x.ts",
    "logs/a.log",
    "SOUL.md",
    "new/dir/file",
    "loop-a",
    "/dev/null",
    "/srv/x",
    "/usr/local/x",
  ])("%s", (path) => {
    expect(writes(path)).toBe(true);
  });
});

describe("not readable", () => {
  test.each([
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/full",
    "/dev/stdin",
    "/dev/tty",
    "/dev/console",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd/0",
    "/proc/self/fd/0",
    "/proc/1/fd/2",
    "/proc/self/environ",
    "zero",
    "~/.hermes/.env",
    "~/.hermes/auth.json",
    "~/.hermes/mcp-tokens/x",
    "~/.hermes/webhook_subscriptions.json",
    "~/.hermes/google_oauth.json",
    "~/.hermes/skills/.hub/x",
    ".env",
    ".env.local",
    ".envrc",
  ])("%s", (path) => {
    expect(reads(path)).toBe(false);
  });
});

describe("readable", () => {
  test.each([
    "a.txt",
    ".env.example",
    "~/.ssh/id_rsa",
    "notes.txt",
    "/etc/hosts",
    "/dev/null",
    "~/.hermes/config.yaml",
    "environment",
  ])("%s", (path) => {
    expect(reads(path)).toBe(true);
  });
});

test("the resolved path has its links followed and its ~ expanded", () => {
  expect(judgePath("keys/a/b", "read", place).resolved).toBe(join(userHome, ".ssh/a/b"));
  expect(judgePath("~/notes/x", "write", place).resolved).toBe(join(userHome, "notes/x"));
  expect(judgePath("dangling", "write", place).resolved).toBe(join(userHome, ".ssh/new_file"));
});

test("a .. after a link goes where the link leads", () => {
  expect(judgePath("keys/../.bashrc", "write", place).allowed).toBe(false);
  expect(judgePath("keys/../notes/x", "write", place).resolved).toBe(join(userHome, "notes/x"));
});

test("a moved hermes home is protected too, also when it is reached by a link", () => {
  const moved: Place = { ...place, home: join(world, "other") };
  expect(writes(join(world, "other/.env"), moved)).toBe(false);
  expect(writes("~/.hermes/.env", moved)).toBe(false);
  const linked: Place = { ...place, home: join(world, "elsewhere") };
  expect(writes(join(userHome, ".hermes/config.yaml"), linked)).toBe(false);
});

test("a command that writes through a link to a protected file needs approval", () => {
  expect(judgeCommand("echo x > notes.txt", place).verdict).toBe("ask");
  expect(judgeCommand("tee keys/x", place).verdict).toBe("ask");
  expect(judgeCommand("echo x > a.txt", place).verdict).toBe("safe");
});

test("with write roots only what really is below one of them is writable", () => {
  const root = join(world, "root");
  mkdirSync(join(root, "in"), { recursive: true });
  symlinkSync(join(userHome, "notes"), join(root, "link"));
  const rooted: Place = { ...place, writeRoots: [root, join(world, "other")] };
  expect(writes(join(root, "a.txt"), rooted)).toBe(true);
  expect(writes(join(root, "in/new/a.txt"), rooted)).toBe(true);
  expect(writes(join(world, "other/a.txt"), rooted)).toBe(true);
  expect(writes(join(world, "root-2/a.txt"), rooted)).toBe(false);
  expect(writes(join(root, "link/a.txt"), rooted)).toBe(false);
  expect(writes("a.txt", rooted)).toBe(false);
  expect(judgePath("a.txt", "write", rooted).reason).toContain("HERMES_WRITE_SAFE_ROOT");
  expect(reads("a.txt", rooted)).toBe(true);
});
