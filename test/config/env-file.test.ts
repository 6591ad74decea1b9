import { describe, expect, test } from "bun:test";
import { parseEnvFile, setInEnvFile } from "../../src/config/env-file.ts";

const parse = (text: string): Record<string, string> => Object.fromEntries(parseEnvFile(text).values);

describe("reading", () => {
  test.each([
    ["A=1\nB=2\n", { A: "1", B: "2" }],
    ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
    ["\uFEFFA=1", { A: "1" }],
    ["export A=1\n  export\tB = 2 \n", { A: "1", B: "2" }],
    ["A='x y'\nB=\"x y\"\n", { A: "x y", B: "x y" }],
    ['A="say \\"hi\\" \\\\ \\n"\n', { A: 'say "hi" \\ \n' }],
    ["A='no \\n escape'\n", { A: "no \\n escape" }],
    ["A=x # comment\nB=x#no\nC=#all\n", { A: "x", B: "x#no", C: "" }],
    ["A='x' # comment\n", { A: "x" }],
    ["A=1\nA=2\n", { A: "2" }],
    ["A=\n", { A: "" }],
    ["A=b=c==\n", { A: "b=c==" }],
    ["# A=1\n\n   \nB=2", { B: "2" }],
    ["OPENAI_BASE_URL=https://h/v1?key=abc\n", { OPENAI_BASE_URL: "https://h/v1?key=abc" }],
    ['KEY="-----BEGIN\nabc==\n-----END"\nB=2\n', { KEY: "-----BEGIN\nabc==\n-----END", B: "2" }],
    ['A="open\nB=2\nC="x"\n', { A: '"open', B: "2", C: "x" }],
    ["A=it's\n", { A: "it's" }],
    ["Ä=1\nA=ü 漢字\n", { A: "ü 漢字" }],
    ["", {}],
  ])("%j", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test("lines that are no assignment are named by number", () => {
    expect(parseEnvFile("A=1\nwhat is this\n# fine\n1X=2\n").strangeLines).toEqual([2, 4]);
  });
});

describe("writing", () => {
  test.each([
    ["", "A=x\n"],
    ["B=1\n", "B=1\nA=x\n"],
    ["B=1", "B=1\nA=x\n"],
    ["B=1\r\n", "B=1\r\nA=x\r\n"],
    ["A=old\nB=1\n", "A=x\nB=1\n"],
    ["export A=old # gone with the value\nB=1\n", "export A=x\nB=1\n"],
    ["A=old\r\nB=1\r\n", "A=x\r\nB=1\r\n"],
    ["A='multi\nline'\nB=1\n", "A=x\nB=1\n"],
    ["A=1\nC=2\nA=3\n", "A=1\nC=2\nA=x\n"],
    ["#A=old\n", "#A=old\nA=x\n"],
    ["AA=1\n", "AA=1\nA=x\n"],
  ])("%j with A=x", (text, expected) => {
    expect(setInEnvFile(text, "A", "x")).toBe(expected);
  });

  test("everything but the changed line stays byte for byte", () => {
    const text = "\uFEFF# head  \n\n  B =  'x y'   # why\nnot a line\r\nexport C=\"q\"\nA=1\n\n#tail";
    expect(setInEnvFile(text, "A", "2")).toBe(text.replace("A=1", "A=2"));
  });

  test.each([
    "plain",
    "with space",
    "#hash",
    "quo'te",
    'dou"ble',
    `both'"`,
    "back\\slash",
    "$HOME",
    "a=b",
    "漢字 ü",
    "`x`",
    "'q'",
    ' " ',
  ])("what is written as %j is read back", (value) => {
    expect(parse(setInEnvFile("B=1\nA=old\n", "A", value))).toEqual({ B: "1", A: value });
  });

  test("line ends are dropped, so that no second assignment can be smuggled in", () => {
    expect(setInEnvFile("", "A", "x\nB=evil\r\n")).toBe("A=xB=evil\n");
  });

  test("an empty value keeps the name", () => {
    expect(setInEnvFile("A=1\nB=2\n", "A", "")).toBe("A=\nB=2\n");
  });
});
