import type { CoreTool } from "./context.ts";
import { patch } from "./patch.ts";
import { processTool } from "./process.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { sessionSearch } from "./session-search.ts";
import { terminal } from "./terminal.ts";
import { todo } from "./todo.ts";
import { writeFile } from "./write-file.ts";

/** The tools of this room that need nothing but their context. */
export const coreTools: CoreTool[] = [
  patch,
  processTool,
  readFile,
  searchFiles,
  sessionSearch,
  terminal,
  todo,
  writeFile,
];
