import { expect, test } from "bun:test";
import { lostResultText, toRequestMessages } from "../../src/agent/sequence-repair.ts";
import type { Message, Part } from "../../src/plugin/message.ts";
import type { StoredMessage } from "../../src/session/index.ts";

let seq = 0;
function stored(role: Message["role"], parts: Part[], context?: string): StoredMessage {
  seq += 1;
  return {
    seq,
    createdAt: "2026-03-15T12:00:00Z",
    message: { role, parts },
    ...(context === undefined ? {} : { context }),
  };
}
const text = (value: string): Part => ({ type: "text", text: value });
const call = (id: string, args = "{}"): Part => ({ type: "tool-call", id, name: "todo", arguments: args });
const result = (callId: string, value = "ok"): Part => ({ type: "tool-result", callId, name: "todo", text: value });
const shape = (messages: Message[]): string[] =>
  messages.map(
    (message) =>
      `${message.role}:${message.parts.map((part) => ("text" in part ? part.text : part.type === "tool-call" ? part.id : "?")).join("|")}`,
  );

test("a context follows its user message, verbatim, and alone when the text is empty", () => {
  expect(
    shape(
      toRequestMessages("S", [
        stored("user", [text("hi")], "note"),
        stored("assistant", [text("a")]),
        stored("user", [], "only"),
      ]),
    ),
  ).toEqual(["system:S", "user:hi\n\nnote", "assistant:a", "user:only"]);
});

test("a call without a result gets one right behind it", () => {
  const history = [
    stored("user", [text("q")]),
    stored("assistant", [call("a"), call("b")]),
    stored("tool", [result("b")]),
    stored("user", [text("more")]),
  ];
  expect(shape(toRequestMessages("S", history))).toEqual([
    "system:S",
    "user:q",
    "assistant:a|b",
    `tool:${lostResultText}`,
    "tool:ok",
    "user:more",
  ]);
});

test("a result that answers no call is dropped, and a second result for one call too", () => {
  const history = [
    stored("user", [text("q")]),
    stored("tool", [result("ghost")]),
    stored("assistant", [call("a")]),
    stored("tool", [result("a", "first")]),
    stored("tool", [result("a", "second")]),
  ];
  expect(shape(toRequestMessages("S", history))).toEqual(["system:S", "user:q", "assistant:a", "tool:first"]);
});

test("users in a row are merged, thoughts alone vanish", () => {
  const history = [
    stored("user", [text("one")]),
    stored("assistant", [{ type: "reasoning", text: "hm" }]),
    stored("user", [text("two")]),
  ];
  expect(shape(toRequestMessages("S", history))).toEqual(["system:S", "user:one\n\ntwo"]);
});

test("the result of a call with broken arguments says so", () => {
  const history = [
    stored("user", [text("q")]),
    stored("assistant", [call("a", "{broken")]),
    stored("tool", [result("a", "done")]),
  ];
  expect(shape(toRequestMessages("S", history)).at(-1)).toContain("were broken");
});

test("the history is not changed, and gives the same messages again", () => {
  const history = [stored("user", [text("a")], "x"), stored("user", [text("b")])];
  const before = JSON.stringify(history);
  const first = JSON.stringify(toRequestMessages("S", history));
  expect(JSON.stringify(toRequestMessages("S", history))).toBe(first);
  expect(JSON.stringify(history)).toBe(before);
});
