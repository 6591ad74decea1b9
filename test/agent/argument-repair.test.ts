import { expect, test } from "bun:test";
import { isTruncated, parseArguments, replaceLoneSurrogates } from "../../src/agent/argument-repair.ts";

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

test("halves of surrogate pairs become U+FFFD; pairs and written backslashes stay byte for byte", () => {
  const mend = (text: string): string => replaceLoneSurrogates(text, JSON.parse(text) as Record<string, unknown>);
  expect(mend('{"a": "x\\ud800y\\uDFFF"}')).toBe('{"a":"x\uFFFDy\uFFFD"}');
  expect(mend('{"a": "\\ud83d\\ude00"}')).toBe('{"a": "\\ud83d\\ude00"}');
  expect(mend('{"a": "\\\\ud800"}')).toBe('{"a": "\\\\ud800"}');
  expect(mend('{"a": 1 }')).toBe('{"a": 1 }');
});
