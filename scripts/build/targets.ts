import { existsSync, readdirSync } from "node:fs";

/** One platform that hermes is built for. */
export interface Target {
  /** as in the name of a release file: `hermes-<name>` */
  name: string;
  /** Bun's name of the target */
  compileTarget: Bun.Build.CompileTarget;
  /** npm package with Bun for the target */
  runtimePackage: string;
  /** npm package with the database engine for the target */
  enginePackage: string;
}

function target(name: string, bun: string, engine: string): Target {
  return {
    name,
    compileTarget: `bun-${bun.replace("aarch64", "arm64")}` as Bun.Build.CompileTarget,
    runtimePackage: `@oven/bun-${bun}`,
    enginePackage: `@libsql/${engine}`,
  };
}

/** Every target of a release. */
export const targets: Target[] = [
  target("linux-x64", "linux-x64", "linux-x64-gnu"),
  target("linux-x64-musl", "linux-x64-musl", "linux-x64-musl"),
  target("linux-arm64", "linux-aarch64", "linux-arm64-gnu"),
  target("linux-arm64-musl", "linux-aarch64-musl", "linux-arm64-musl"),
  target("darwin-x64", "darwin-x64", "darwin-x64"),
  target("darwin-arm64", "darwin-aarch64", "darwin-arm64"),
];

/** @throws Error that names all targets */
export function findTarget(name: string): Target {
  const found = targets.find((entry) => entry.name === name);
  if (found === undefined) {
    throw new Error(`unknown target "${name}"; known: ${targets.map((entry) => entry.name).join(", ")}`);
  }
  return found;
}

/** The target of the machine this runs on. */
export function hostTarget(): Target {
  const musl = process.platform === "linux" && hasMuslLoader() ? "-musl" : "";
  return findTarget(`${process.platform}-${process.arch}${musl}`);
}

/** On a machine with both loaders glibc is the system's own. */
function hasMuslLoader(): boolean {
  const names = ["/lib", "/lib64"].filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
  return names.some((name) => name.startsWith("ld-musl-")) && !names.some((name) => name.startsWith("ld-linux-"));
}
