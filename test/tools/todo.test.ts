import { expect, test } from "bun:test";
import type { Message } from "../../src/plugin/message.ts";
import { createTodoList, hydrateTodos } from "../../src/tools/index.ts";
import { createToolWorld } from "./tool-world.ts";

test("replaces the list, filling what is missing, the last of two with one id counts", async () => {
  await using world = createToolWorld();
  const { json } = await world.call("todo", {
    todos: [{ id: "1", content: "a", status: "completed" }, { content: "x" }, { id: "2", status: "odd" }, { id: "1" }],
  });
  expect(json).toEqual({
    todos: [
      { id: "1", content: "(no description)", status: "pending" },
      { id: "?", content: "x", status: "pending" },
      { id: "2", content: "(no description)", status: "pending" },
    ],
    summary: { total: 3, pending: 3, in_progress: 0, completed: 0, cancelled: 0 },
  });
});

test("merges given members by id, appends new items and ignores those without an id", async () => {
  await using world = createToolWorld();
  await world.call("todo", { todos: [{ id: "1", content: "a", status: "pending" }] });
  const { json } = await world.call("todo", {
    merge: true,
    todos: [{ id: "1", status: "in_progress" }, { content: "lost" }, { id: 2, content: "b", status: "completed" }],
  });
  expect(json["todos"]).toEqual([
    { id: "1", content: "a", status: "in_progress" },
    { id: "2", content: "b", status: "completed" },
  ]);
  expect((await world.call("todo", {})).json["summary"]).toMatchObject({ total: 2, in_progress: 1 });
});

test("shows the list without arguments and takes it as JSON text", async () => {
  await using world = createToolWorld();
  await world.call("todo", { todos: '[{"id":"1","content":"a","status":"pending"}]' });
  expect((await world.call("todo", {})).json["todos"]).toEqual([{ id: "1", content: "a", status: "pending" }]);
});

test("comes back from the last result in the history, and lists what is open", () => {
  const result = (text: string): Message => ({
    role: "tool",
    parts: [{ type: "tool-result", callId: "c", name: "todo", text }],
  });
  const list = createTodoList();
  hydrateTodos(list, [
    result('{"todos":[{"id":"1","content":"old","status":"pending"}]}'),
    result(
      '{"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"in_progress"},{"id":"3","content":"c","status":"pending"}]}',
    ),
    result("not json"),
  ]);
  expect(list.openLines()).toBe("- [>] 2. b\n- [ ] 3. c");
  hydrateTodos(list, []);
  expect(list.items()).toHaveLength(3);
});
