import initial from "./0001-initial.ts";

/** Forward only: the schema's version is the number of migrations applied. A released one is never edited. */
export const migrations: readonly string[] = [initial];
