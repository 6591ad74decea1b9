/** Set by the build; running from source they are not there. */
declare const HERMES_VERSION: string | undefined;
declare const HERMES_COMMIT: string | undefined;

export const version: string = typeof HERMES_VERSION === "string" ? HERMES_VERSION : "0.1.0";
export const commit: string = typeof HERMES_COMMIT === "string" ? HERMES_COMMIT : "source";
