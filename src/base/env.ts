/** A snapshot-free view of environment variables; unset and empty are the same: undefined. */
export type Environment = Record<string, string | undefined>;

/** The process environment. The only door to it beside `config/`. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The value of one variable, undefined when unset or blank. */
export function readEnv(name: string, environment: Environment = process.env): string | undefined {
  const value = environment[name];
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** True for 1, true, yes, on in any case. */
export function isEnvOn(name: string, environment: Environment = process.env): boolean {
  return /^(1|true|yes|on)$/i.test(readEnv(name, environment)?.trim() ?? "");
}
