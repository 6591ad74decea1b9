/** Settings: config.yaml and .env of a home. */
export { getConfigValue, repairEnvFile, setConfigValue, setEnvValue, unsetConfigValue } from "./edit.ts";
export type { ConfigChange } from "./edit.ts";
export { isSecretName } from "./environment.ts";
export { loadConfig } from "./load.ts";
export type { LoadedConfig } from "./load.ts";
export { configKeys } from "./schema.ts";
export type { ConfigKey, ConfigValues } from "./schema.ts";
export type { ConfigWarning } from "./values.ts";
