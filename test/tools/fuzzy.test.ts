import { describe, expect, test } from "bun:test";
import { toLineText } from "../../src/tools/fuzzy/line-text.ts";
import { planReplacement } from "../../src/tools/fuzzy/replacement.ts";
import { strategies } from "../../src/tools/fuzzy/strategies.ts";
import { similarity } from "../../src/tools/similarity.ts";
import { applyEdits, formatTextFile, toTextFile } from "../../src/tools/text-file.ts";

function found(name: string, content: string, wanted: string): string[] {
  const strategy = strategies.find((entry) => entry.name === name);
  if (strategy === undefined) throw new Error(`no strategy ${name}`);
  return strategy.find(toLineText(content), wanted).map((span) => content.slice(span.start, span.end));
}

function replaced(content: string, oldText: string, newText: string, replaceAll = false): string {
  const file = toTextFile(content);
  const plan = planReplacement(file.text, { oldText, newText, replaceAll });
  return plan.ok ? formatTextFile(applyEdits(file, plan.edits)) : `error: ${plan.reason}`;
}

describe("each strategy finds", () => {
  test.each([
    ["exact", "aaaa", "aa", ["aa", "aa"]],
    ["exact", "abc", "x", []],
    ["line_trimmed", "  a  \n\tb\nc", "a\nb", ["  a  \n\tb"]],
    ["line_trimmed", "a b", "a", []],
    ["whitespace_normalized", "x = foo(  1,\t2 )", "foo( 1, 2 )", ["foo(  1,\t2 )"]],
    ["whitespace_normalized", "a  b", " b", ["  b"]],
    ["indentation_flexible", "    a \n      b", "a \n  b", ["    a \n      b"]],
    ["indentation_flexible", "    a ", "a", []],
    ["escape_normalized", "a\nb\tc", "a\\nb\\tc", ["a\nb\tc"]],
    ["escape_normalized", "a", "a", []],
    ["trimmed_boundary", "  a\nmid\nb  ", "a\nmid\nb", ["  a\nmid\nb  "]],
    ["trimmed_boundary", "  a\n mid\nb  ", "a\nmid\nb", []],
    ["unicode_normalized", "say \u201chello\u201d", 'say "hello"', ["say \u201chello\u201d"]],
    ["unicode_normalized", "a \u2014 b", "a -- b", ["a \u2014 b"]],
    ["unicode_normalized", "a \u2014 b", "a - b", []],
    ["unicode_normalized", "wait\u2026", "wait...", ["wait\u2026"]],
    ["unicode_normalized", "wait\u2026", "wait.", []],
    [
      "block_anchor",
      "def f():\n  total = 1\n  return x",
      "def f():\n  totals = 2\n  return x",
      ["def f():\n  total = 1\n  return x"],
    ],
    ["block_anchor", "start\ncompletely other\nend", "start\nzzz 123\nend", []],
    ["block_anchor", "one line", "one line", []],
    ["context_aware", "alpha beta gamma\nfoo bar baz", "alpha beta gamme\nqqq", ["alpha beta gamma\nfoo bar baz"]],
    ["context_aware", "nothing here", "something else entirely", []],
  ])("%s: %j", (name, content, wanted, expected) => {
    expect(found(name, content, wanted)).toEqual(expected);
  });

  test("in the order exact, lines, blanks, indentation, escapes, borders, typography, anchors, context", () => {
    expect(strategies.map((strategy) => strategy.name)).toEqual([
      "exact",
      "line_trimmed",
      "whitespace_normalized",
      "indentation_flexible",
      "escape_normalized",
      "trimmed_boundary",
      "unicode_normalized",
      "block_anchor",
      "context_aware",
    ]);
  });
});

describe("a replacement", () => {
  test.each([
    ["an exact text", "hello world", "hello", "hi", "hi world"],
    ["an ambiguous text", "aaa bbb aaa", "aaa", "ccc", "error: ambiguous"],
    ["nothing", "a", "", "b", "error: empty"],
    ["the same text", "a", "a", "a", "error: identical"],
    ["a text that is not there", "a", "zzzz", "b", "error: missing"],
    ["a less indented text", "  foo()\n  bar()\n", "foo()\nbar()", "foo()\nbaz()", "  foo()\n  baz()\n"],
    [
      "a body of four spaces",
      "class A:\n    def foo():\n        return 1\n",
      "def foo():\n    return 1",
      "def foo():\n    x = 2\n\n    return x",
      "class A:\n    def foo():\n        x = 2\n\n        return x\n",
    ],
    ["other blanks", "def  foo(  x,  y  ):", "def foo( x, y ):", "def bar(x, y):", "def bar(x, y):"],
    ["a written-out newline", "line1\nline2", "line1\\nline2", "x", "x"],
    [
      "tabs asked for as spaces",
      "\tif x:\n\t\ty()",
      "    if x:\n        y()",
      "    if x:\n        z()",
      "\tif x:\n\t    z()",
    ],
    ["typographic quotes", "say \u201chello\u201d", 'say "hello"', 'say "bye"', 'say "bye"'],
    ["a dash", "a \u2014 b", "a -- b", "a - b", "a - b"],
    [
      "escaped quotes that the file does not have",
      "print('a')\nx\nprint('b')",
      "print(\\'a\\')\nx\nprint(\\'b\\')",
      "print(\\'c\\')",
      "error: escape-drift",
    ],
    ["a text with a real tab", "x  =\ta\tb", "x =\ta\tb", "x =\\ta", "x =\ta"],
    ["a written escape in source", 'sep = "a"', 'sep = "a"', 'sep = "\\t"', 'sep = "\\t"'],
    ["lines with the newline behind them", "  a\n  b\n  c\n", "a \n", "", "  b\n  c\n"],
    ["a line in a CRLF file", "a\r\nb\r\n", "a\nb", "x\ny", "x\r\ny\r\n"],
    ["with CRLF in the arguments", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"],
    ["a text after a byte order mark", "\ufeffkey=1\n", "key=1", "key=2", "\ufeffkey=2\n"],
    ["half a CRLF file without touching the rest", "a\r\nb\nc\r\n", "b", "x", "a\r\nx\nc\r\n"],
    ["the end of a file without a newline", "a\nb", "b", "c", "a\nc"],
    ["dollar signs as they are", "price", "price", "$& $1", "$& $1"],
  ])("of %s", (...[, content, oldText, newText, expected]) => {
    expect(replaced(content, oldText, newText)).toBe(expected);
  });

  test.each([
    ["aaa bbb aaa", "aaa", "ccc", "ccc bbb ccc"],
    ["aaaa", "aa", "b", "bb"],
    ["  x()\n    x()\n", "x() ", "y()", "  y()\n    y()\n"],
  ])("of all in %j", (content, oldText, newText, expected) => {
    expect(replaced(content, oldText, newText, true)).toBe(expected);
  });
});

describe("similarity", () => {
  test.each([
    ["", "", 1],
    ["a", "", 0],
    ["abcd", "bcde", 0.75],
    ["abc", "abc", 1],
  ])("of %j and %j is %d", (left, right, expected) => {
    expect(similarity(left, right)).toBe(expected);
  });
});
