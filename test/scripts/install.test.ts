import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostTarget } from "../../scripts/build/targets.ts";

const script = readFileSync(join(import.meta.dir, "../../scripts/install.sh"), "utf8");
const fileName = `hermes-${hostTarget().name}`;

/** A program that answers like an executable of this version. */
const program = (version: string): string => `#!/bin/sh\necho "hermes ${version}"\n`;

let world: string;
let folder: string;
let release: { url: string; files: Map<string, string>; requests: string[]; stop(): Promise<void> };

beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), "hermes-install-"));
  folder = join(world, "home/.local/bin");
  release = startRelease();
});

afterEach(async () => {
  await release.stop();
  rmSync(world, { recursive: true, force: true });
});

function startRelease() {
  const files = new Map<string, string>();
  const requests: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const name = new URL(request.url).pathname.slice(1);
      requests.push(name);
      const body = files.get(name);
      return body === undefined ? new Response("not found", { status: 404 }) : new Response(body);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, files, requests, stop: () => server.stop(true) };
}

function publish(version: string, sum?: string): void {
  const body = program(version);
  release.files.set(fileName, body);
  const digest = sum ?? createHash("sha256").update(body).digest("hex");
  release.files.set("SHA256SUMS", `${"0".repeat(64)}  hermes-other\n${digest}  ${fileName}\n`);
}

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Feeds the script to a shell through a pipe, as `curl | bash` does. */
async function install(
  options: { shell?: string; text?: string; args?: string[]; environment?: Record<string, string> } = {},
): Promise<Run> {
  const child = Bun.spawn([options.shell ?? "bash", "-s", "--", ...(options.args ?? [])], {
    cwd: world,
    stdin: Buffer.from(options.text ?? script),
    stdout: "pipe",
    stderr: "pipe",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(world, "home"),
      SHELL: "/bin/bash",
      HERMES_INSTALL_BASE_URL: release.url,
      ...options.environment,
    },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

const installed = (): string => readFileSync(join(folder, "hermes"), "utf8");

describe.each(["bash", "sh"])("through a pipe into %s", (shell) => {
  test("downloads, checks and installs for this platform", async () => {
    publish("1.2.3");
    const run = await install({ shell });
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain(`installed hermes 1.2.3 in ${folder}`);
    expect(installed()).toBe(program("1.2.3"));
    expect(readdirSync(folder)).toEqual(["hermes"]);
    expect(release.requests).toEqual(["SHA256SUMS", fileName]);
  });
});

test("run again, it updates and says from which version", async () => {
  publish("1.2.3");
  await install();
  publish("1.3.0");
  const run = await install();
  expect(run.stdout).toContain("1.2.3 → 1.3.0");
  expect(installed()).toBe(program("1.3.0"));
});

test("a wrong checksum changes nothing", async () => {
  publish("1.2.3");
  await install();
  publish("6.6.6", "a".repeat(64));
  const run = await install();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`the checksum of ${fileName} is wrong`);
  expect(installed()).toBe(program("1.2.3"));
  expect(readdirSync(folder)).toEqual(["hermes"]);
});

test("a file that is not there is named with its address", async () => {
  const run = await install();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`${release.url}/SHA256SUMS does not exist (404)`);
  expect(existsSync(join(folder, "hermes"))).toBe(false);
});

test("a release without this platform says so", async () => {
  release.files.set("SHA256SUMS", `${"0".repeat(64)}  hermes-other\n`);
  const run = await install();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`the release has no ${fileName}`);
});

test("a server that cannot be reached is an error with the address", async () => {
  const run = await install({ environment: { HERMES_INSTALL_BASE_URL: "http://127.0.0.1:9" } });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("http://127.0.0.1:9/SHA256SUMS cannot be downloaded");
});

test("a script cut off anywhere runs nothing", async () => {
  publish("1.2.3");
  const cuts = [0.1, 0.5, 0.9].map((part) => Math.floor(script.length * part));
  for (const end of [...cuts, script.lastIndexOf('"$@"'), script.lastIndexOf("exit 0"), script.lastIndexOf("}")]) {
    await install({ text: script.slice(0, end) });
    expect([end, existsSync(folder), release.requests]).toEqual([end, false, []]);
  }
});

test("a download that does not run keeps the old one", async () => {
  publish("1.2.3");
  await install();
  const broken = "#!/bin/sh\necho 'wrong libc' >&2\nexit 127\n";
  release.files.set(fileName, broken);
  release.files.set("SHA256SUMS", `${createHash("sha256").update(broken).digest("hex")}  ${fileName}\n`);
  const run = await install();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("does not run on this machine; nothing was changed: wrong libc");
  expect(installed()).toBe(program("1.2.3"));
});

test("another program of the same name is kept aside, a symlink included", async () => {
  mkdirSync(folder, { recursive: true });
  const other = join(world, "other");
  writeFileSync(other, "#!/bin/sh\necho 'Hermes Agent v0.7.0'\n");
  chmodSync(other, 0o755);
  symlinkSync(other, join(folder, "hermes"));
  publish("1.2.3");
  const run = await install();
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("it is kept as hermes.previous");
  expect(readFileSync(join(folder, "hermes.previous"), "utf8")).toContain("v0.7.0");
  expect(readFileSync(other, "utf8")).toContain("v0.7.0");
  expect(installed()).toBe(program("1.2.3"));
});

test("another version than the wanted one is refused", async () => {
  publish("1.2.3");
  const run = await install({ args: ["--version", "v2.0.0"] });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("this is hermes 1.2.3, not v2.0.0");
  expect((await install({ args: ["--version", "v1.2.3"] })).code).toBe(0);
});

test("--dir chooses the folder, with blanks in its name too", async () => {
  publish("1.2.3");
  const run = await install({ args: ["--dir", join(world, "my programs")] });
  expect(run.code).toBe(0);
  expect(readFileSync(join(world, "my programs/hermes"), "utf8")).toBe(program("1.2.3"));
});

test("a place that cannot be a folder is named", async () => {
  publish("1.2.3");
  writeFileSync(join(world, "file"), "");
  const run = await install({ args: ["--dir", join(world, "file/bin")] });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`the folder ${join(world, "file/bin")} cannot be made`);
});

test("without curl and wget it says what is missing", async () => {
  const bin = join(world, "bin");
  mkdirSync(bin);
  for (const name of ["uname", "mkdir", "mktemp", "rm", "cat"]) symlinkSync(Bun.which(name) ?? name, join(bin, name));
  const run = await install({ shell: Bun.which("bash") ?? "bash", environment: { PATH: bin } });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("neither curl nor wget is installed");
});

test("wget does as well as curl", async () => {
  publish("1.2.3");
  const bin = join(world, "bin");
  mkdirSync(bin);
  const names = [
    "uname",
    "mkdir",
    "mktemp",
    "rm",
    "cat",
    "sed",
    "cut",
    "sha256sum",
    "chmod",
    "mv",
    "head",
    "wget",
    "sh",
  ];
  for (const name of names) {
    const found = Bun.which(name);
    if (found !== null) symlinkSync(found, join(bin, name));
  }
  if (Bun.which("wget") === null)
    writeFileSync(join(bin, "wget"), '#!/bin/sh\nexec curl -fsS -o "$3" "$4"\n', { mode: 0o755 });
  const run = await install({ shell: Bun.which("bash") ?? "bash", environment: { PATH: bin } });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(installed()).toBe(program("1.2.3"));
});

test("an unknown processor and an unknown option are errors", async () => {
  const bin = join(world, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "uname"), '#!/bin/sh\n[ "$1" = -m ] && echo riscv64 || echo Linux\n', { mode: 0o755 });
  const run = await install({ environment: { PATH: `${bin}:${process.env["PATH"] ?? ""}` } });
  expect(run.stderr).toContain('no release for the processor "riscv64" (Linux)');
  const other = await install({ args: ["--frobnicate"] });
  expect([other.code, other.stderr]).toEqual([1, "error: unknown option --frobnicate\n  try: install.sh --help\n"]);
});

test.each([
  ["/usr/bin/fish", "fish_add_path"],
  ["/bin/zsh", "~/.zshrc"],
  ["/bin/bash", "~/.bashrc"],
])("a user of %s is told how to extend PATH", async (shell, hint) => {
  publish("1.2.3");
  const run = await install({ environment: { SHELL: shell } });
  expect(run.stdout).toContain(hint);
});

test("a folder that is in PATH needs no hint", async () => {
  publish("1.2.3");
  const run = await install({ environment: { PATH: `${folder}:${process.env["PATH"] ?? ""}` } });
  expect(run.stdout).not.toContain("is not in PATH");
  expect(run.stdout).toContain("start with: hermes demo");
});

test("the folder is filled by root and by users alike: nothing is written outside it", async () => {
  publish("1.2.3");
  await install();
  expect(readdirSync(join(world, "home"))).toEqual([".local"]);
  expect(readdirSync(join(world, "home/.local"))).toEqual(["bin"]);
});
