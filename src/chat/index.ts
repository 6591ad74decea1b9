/** The terminal face: one question, or a plain chat. */
export { runInteractive } from "./interactive.ts";
export { runOneShot } from "./one-shot.ts";
export type { OutputMode } from "./one-shot.ts";
export type { Output } from "./output.ts";
