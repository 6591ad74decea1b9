import { expect, test } from "bun:test";
import { isHermesError } from "../../src/base/errors.ts";
import { joinSessionWords } from "../../src/cli/session-words.ts";
import { checkArgs } from "../../src/cli/strict-args.ts";

const names = ["chat", "config", "sessions", "setup"];

test.each([
  ["-c my project -w", ["-c", "my project", "-w"]],
  ["-c my project chat -q hello", ["-c", "my project", "chat", "-q", "hello"]],
  ["-r my long title", ["-r", "my long title"]],
  ["-c", ["-c"]],
  ["-c my setup", ["-c", "my", "setup"]],
  ["-w chat -q x", ["-w", "chat", "-q", "x"]],
  ["-q -c really", ["-q", "-c", "really"]],
])("%j joins its title", (line, expected) => {
  expect(joinSessionWords(line.split(" "), names)).toEqual(expected);
});

const definitions = {
  query: { type: "string", alias: "q" },
  quiet: { type: "boolean", alias: "Q" },
  name: { type: "positional", required: true },
} as const;

function faultOf(words: string[]): string {
  try {
    checkArgs(words, definitions, "thing");
    return "";
  } catch (error) {
    if (!isHermesError(error)) throw error;
    return `${error.exitCode} ${error.message} · ${error.hint}`;
  }
}

test("declared flags pass", () => {
  expect(faultOf(["-q", "text", "--quiet", "word"])).toBe("");
});

test.each([
  [["--qeury", "x", "word"], "2 unknown option --qeury · did you mean --query? hermes thing --help"],
  [["word", "-q"], "2 --query needs a value · hermes thing --help"],
  [["-q", "a", "word", "--query=b"], "2 --query is given twice · hermes thing --help"],
  [
    ["word", "--query", "-1"],
    "2 --query needs a value; one that begins with - is written --query=-VALUE · hermes thing --help",
  ],
  [["--quiet=yes", "word"], "2 --quiet takes no value · hermes thing --help"],
  [["one", "two"], '2 unexpected word "two" · hermes thing --help'],
  [[], "2 NAME is missing · hermes thing --help"],
])("%j is a usage error", (words, fault) => {
  expect(faultOf(words)).toBe(fault);
});
