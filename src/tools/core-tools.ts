import type { CoreTool } from "./context.ts";
import { readFile } from "./read-file.ts";
import { terminal } from "./terminal.ts";
import { writeFile } from "./write-file.ts";

/** The tools of this room that need nothing but their context. */
export const coreTools: CoreTool[] = [readFile, terminal, writeFile];
