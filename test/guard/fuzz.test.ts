import { expect, test } from "bun:test";
import { judge } from "./place.ts";

/** A small generator of numbers, the same for each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const pieces = [
  "rm",
  " -rf",
  " /",
  "$(",
  ")",
  "`",
  "'",
  '"',
  "\\",
  "\n",
  "|",
  "&",
  ";",

  "EOF",
  "{",
  "}",
  "${",
  "IFS",
  "[[",
  "]]",
  "((",
  "))",
  "sudo",
  " -c ",
  "bash",
  "\u0000",
  "\ud800",
  "世",
  "=",
  "<(",
  ">",
  "/dev/sda",
  "eval",
  "#",
  "*",
  "?",
  "!",
  "~",
  "case",
  "esac",
  "function f",
  "()",
];

test("no text makes the judge throw or hang, and what holds an unread part is never safe by error", () => {
  const random = randomFrom(20_260_315);
  const seen = new Set<string>();
  for (let round = 0; round < 4000; round += 1) {
    const length = 1 + Math.floor(random() * 14);
    let text = "";
    for (let index = 0; index < length; index += 1) text += pieces[Math.floor(random() * pieces.length)] ?? "";
    const { verdict, findings } = judge(text);
    seen.add(verdict);
    if (verdict === "safe") expect(findings).toEqual([]);
    else expect(findings.length).toBeGreaterThan(0);
  }
  expect([...seen].sort()).toEqual(["ask", "refuse", "safe"]);
});

test("deep nesting and very long input come back", () => {
  expect(judge("$(".repeat(2000)).verdict).toBe("ask");
  expect(judge(`echo ${"a".repeat(100_000)}`).verdict).toBe("ask");
  expect(judge("(".repeat(3000)).verdict).toBe("ask");
});

test.each(["sh -c 'a", "echo 'open", "if true; then", "rm -rf / 'open"])(
  "%j, which bash would refuse in part, is never allowed",
  (text) => {
    expect(judge(text).verdict).not.toBe("safe");
  },
);
