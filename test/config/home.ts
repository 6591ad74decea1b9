import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, type LoadedConfig } from "../../src/config/index.ts";

/** A hermes home of one test. */
export interface TestHome extends Disposable {
  path: string;
  file(name: string): string;
  read(name: string): string;
  load(environment?: Record<string, string>): LoadedConfig;
  /** the texts of all warnings, without the path of the file */
  warnings(environment?: Record<string, string>): string[];
}

export function createHome(files: { config?: string; env?: string } = {}): TestHome {
  const world = mkdtempSync(join(tmpdir(), "hermes-config-"));
  const path = join(world, "home");
  mkdirSync(path);
  if (files.config !== undefined) writeFileSync(join(path, "config.yaml"), files.config, { mode: 0o600 });
  if (files.env !== undefined) writeFileSync(join(path, ".env"), files.env, { mode: 0o600 });
  const load = (environment: Record<string, string> = {}): LoadedConfig => loadConfig({ home: path, environment });
  return {
    path,
    file: (name) => join(path, name),
    read: (name) => readFileSync(join(path, name), "utf8"),
    load,
    warnings: (environment) => load(environment).warnings.map(({ text }) => text.replaceAll(`${path}/`, "")),
    [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }),
  };
}
