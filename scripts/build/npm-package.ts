import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

interface LockedPackage {
  version: string;
  integrity: string;
}

/** What package-lock.json says about a package. @throws Error when it is not there */
export function lockedPackage(root: string, name: string): LockedPackage {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Partial<LockedPackage> | undefined>;
  };
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined) {
    throw new Error(`package-lock.json does not pin ${name}; run npm install and commit the lock file`);
  }
  return { version, integrity };
}

/** @throws Error when the bytes are not what the lock file names */
export function checkIntegrity(bytes: Uint8Array, integrity: string, name: string): void {
  const [algorithm = "", wanted] = integrity.split("-", 2);
  const found = createHash(algorithm).update(bytes).digest("base64");
  if (found !== wanted) throw new Error(`${name} is not what package-lock.json names (${algorithm} differs)`);
}

/**
 * The folder of a package at its locked version: the installed one, else one fetched by npm, checked and cached.
 * @returns an absolute path
 */
export function packageFolder(root: string, name: string): string {
  const locked = lockedPackage(root, name);
  const installed = join(root, "node_modules", name);
  if (existsSync(join(installed, "package.json"))) {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
    if (version === locked.version) return installed;
  }
  const cache = join(root, "node_modules/.cache/hermes-build");
  const folder = join(cache, `${name.replace(/^@/, "").replace("/", "-")}-${locked.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetch-"));
  try {
    run(["npm", "pack", `${name}@${locked.version}`, "--silent", "--pack-destination", work], root);
    const archive = [...new Bun.Glob("*.tgz").scanSync(work)][0];
    if (archive === undefined) throw new Error(`npm pack ${name}@${locked.version} gave no archive`);
    checkIntegrity(readFileSync(join(work, archive)), locked.integrity, `${name}@${locked.version}`);
    run(["tar", "-xzf", join(work, archive), "-C", work], root);
    // two builds at once: the first one that is done wins
    if (!existsSync(folder)) renameSync(join(work, "package"), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function run(command: string[], cwd: string): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0)
    throw new Error(`${command.slice(0, 3).join(" ")} failed (${exitCode}): ${stderr.toString().trim()}`);
}
