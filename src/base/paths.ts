import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Environment, processEnvironment, readEnv } from "./env.ts";

/** Every place inside a hermes home. All absolute. */
export interface HomePaths {
  home: string;
  config: string;
  env: string;
  database: string;
  soul: string;
  logs: string;
  cache: string;
  plugins: string;
  skills: string;
  memories: string;
}

/** The user's own home directory (`HOME`, else what the system says). */
export function userHome(environment: Environment = processEnvironment()): string {
  return readEnv("HOME", environment) ?? homedir();
}

/** Replaces a leading `~` or `~/` by the user's home. */
export function expandTilde(path: string, environment: Environment = processEnvironment()): string {
  if (path === "~") return userHome(environment);
  return path.startsWith("~/") ? join(userHome(environment), path.slice(2)) : path;
}

/** `HERMES_HOME`, else `~/.hermes`, as an absolute path. Creates nothing. */
export function hermesHome(environment: Environment = processEnvironment()): string {
  const given = readEnv("HERMES_HOME", environment);
  if (given === undefined) return join(userHome(environment), ".hermes");
  const expanded = expandTilde(given.trim(), environment);
  return isAbsolute(expanded) ? expanded : resolve(expanded);
}

export function homePaths(home: string): HomePaths {
  return {
    home,
    config: join(home, "config.yaml"),
    env: join(home, ".env"),
    database: join(home, "hermes.db"),
    soul: join(home, "SOUL.md"),
    logs: join(home, "logs"),
    cache: join(home, "cache"),
    plugins: join(home, "plugins"),
    skills: join(home, "skills"),
    memories: join(home, "memories"),
  };
}

/** A path with the user's home written as `~`, for messages. */
export function displayPath(path: string, environment: Environment = processEnvironment()): string {
  const home = userHome(environment);
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
