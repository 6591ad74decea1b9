/** The only way from a plugin back into hermes. */
export interface PluginHost {
  fetch: typeof fetch;
  log: PluginLog;
  secrets: {
    /** the value of a declared secret, undefined when unset or not declared */
    get(name: string): string | undefined;
  };
  /** the plugin's own folder, created on first use */
  dataDir: string;
  now(): Date;
  paths: { temp: string };
}

/** Lines go to logs/hermes.log, redacted. */
export interface PluginLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
