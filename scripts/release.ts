/**
 * Releases.
 *   bun scripts/release.ts cut 0.2.0       sets the version and cuts the changelog, then says what to commit and tag
 *   bun scripts/release.ts assets          builds all targets into dist/release, with SHA256SUMS, install.sh, notes
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cutChangelog, sectionOf } from "./build/changelog.ts";
import { targets } from "./build/targets.ts";

const root = join(import.meta.dir, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

function cut(version: string | undefined): void {
  if (version === undefined || !/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(version)) {
    throw new Error("name a version like 0.2.0");
  }
  const changelog = cutChangelog(read("CHANGELOG.md"), version, new Date().toISOString().slice(0, 10));
  run(["npm", "version", version, "--no-git-tag-version", "--allow-same-version"]);
  writeFileSync(join(root, "CHANGELOG.md"), changelog);
  console.log(`version ${version}; now:
  git commit -am "chore: release ${version}"
  git tag v${version} && git push --follow-tags`);
}

function buildAssets(): void {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const notes = sectionOf(read("CHANGELOG.md"), version);
  const folder = join(root, "dist/release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sums = targets.map(({ name }) => {
    const path = join(folder, `hermes-${name}`);
    run([process.execPath, join(root, "scripts/build.ts"), "--target", name, "--outfile", path]);
    return `${createHash("sha256").update(readFileSync(path)).digest("hex")}  hermes-${name}`;
  });
  copyFileSync(join(root, "scripts/install.sh"), join(folder, "install.sh"));
  writeFileSync(join(folder, "SHA256SUMS"), `${sums.join("\n")}\n`);
  writeFileSync(join(root, "dist/notes.md"), `${notes}\n`);
  console.log(`${folder}: ${sums.length} executables of ${version}`);
}

function run(command: string[]): void {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}`);
}

try {
  const [action, version] = process.argv.slice(2);
  if (action === "cut") cut(version);
  else if (action === "assets") buildAssets();
  else throw new Error("say what to do: cut VERSION, or assets");
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
