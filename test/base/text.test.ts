import { expect, test } from "bun:test";
import { estimateTokens, oneLine, stripControls, toWellFormed, truncate } from "../../src/base/text.ts";

test.each([
  ["a\u001b[31mb\u001b[0m", "ab"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;http://x\u001b\\link", "link"],
  ["keep\ttab\nline", "keep\ttab\nline"],
  ["\u0007\u0000bell\u009b", "bell"],
  ["abc\u202edcba\u2069", "abcdcba"],
  ["世界 🙂 é", "世界 🙂 é"],
  ["pay\u200bpal \u{e0041}\u2028", "paypal "],
  ["👩\u200d💻 نمی\u200cخواهم", "👩\u200d💻 نمی\u200cخواهم"],
])("%j shows as %j", (text, shown) => {
  expect(stripControls(text)).toBe(shown);
});

test("a cut never leaves half a character, and says that it cut", () => {
  expect(truncate("ab🙂", 4)).toBe("ab🙂");
  expect(truncate("ab🙂cd", 4)).toBe("ab…");
  expect(truncate("short", 10)).toBe("short");
});

test("lone surrogates become the replacement character", () => {
  expect(toWellFormed("a\ud800b")).toBe("a\ufffdb");
});

test("one line has no breaks", () => {
  expect(oneLine("  a\n\n b\tc ")).toBe("a b c");
});

test("CJK characters count whole, others by four", () => {
  expect(estimateTokens("abcdefgh")).toBe(2);
  expect(estimateTokens("世界世界")).toBe(4);
  expect(estimateTokens("")).toBe(0);
});
