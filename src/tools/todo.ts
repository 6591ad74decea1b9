import { z } from "zod";
import { defineCoreTool } from "./context.ts";
import { todoStatuses } from "./todo-list.ts";
import { answer } from "./tool-answer.ts";

export const todo = defineCoreTool({
  name: "todo",
  toolset: "todo",
  description:
    "Keeps the plan of this session. Use it for work of three or more steps: one item in_progress at a time, " +
    "marked completed as soon as it is done. Without todos it shows the list.",
  parameters: z.object({
    todos: z
      .array(
        z.object({
          id: z.preprocess((id) => (typeof id === "number" ? String(id) : id), z.string().optional().catch(undefined)),
          content: z.string().optional().catch(undefined),
          status: z.enum(todoStatuses).optional().catch(undefined),
        }),
      )
      .optional()
      .describe("the items, in order of importance"),
    merge: z.boolean().default(false).describe("true changes items by id, false replaces the list"),
  }),
  execute(args, context) {
    if (args.todos !== undefined) {
      if (args.merge) context.todos.merge(args.todos);
      else context.todos.replace(args.todos);
    }
    const todos = context.todos.items();
    const count = (status: string): number => todos.filter((item) => item.status === status).length;
    const byStatus = Object.fromEntries(todoStatuses.map((status) => [status, count(status)]));
    return Promise.resolve(answer({ todos, summary: { total: todos.length, ...byStatus } }));
  },
});
