import { expect, test } from "bun:test";
import { isTruncated, parseArguments } from "../../src/agent/argument-repair.ts";

test.each([
  ["", {}],
  ["  ", {}],
  ["null", {}],
  ['{"a":1}', { a: 1 }],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['"{\\"a\\":1}"', { a: 1 }],
  ['{"a":[1,2,],}', { a: [1, 2] }],
  ['{"text":"two\nlines\tand tab"}', { text: "two\nlines\tand tab" }],
  ['{"text":"a, } ] kept,"}', { text: "a, } ] kept," }],
])("%j is understood", (text, value) => {
  expect(parseArguments(text)).toEqual({ ok: true, value });
});

test.each(['{"command":"rm -rf /tmp/x', '{"a":1', "[1,2]", "5", '"text"', "{a: 1}", '{"a" 1}'])(
  "%j is answered, not guessed",
  (text) => {
    const parsed = parseArguments(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error.length).toBeGreaterThan(5);
  },
);

test("only text that ends early is truncated", () => {
  expect(isTruncated('{"a":"b')).toBe(true);
  expect(isTruncated('{"a":1}')).toBe(false);
  expect(isTruncated("")).toBe(false);
});
