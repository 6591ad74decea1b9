import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { findHeldSecrets, forgetSecrets, heldSecrets, holdSecret } from "../../src/base/held-secrets.ts";
import { redact } from "../../src/base/redact.ts";

const secret = 'ünï?key/+"9~x Q';

beforeEach(() => holdSecret(secret, "LAB_KEY"));
afterEach(forgetSecrets);

const spellings: [name: string, text: string][] = [
  ["plain", secret],
  ["reversed", [...secret].toReversed().join("")],
  ["hex", Buffer.from(secret).toString("hex")],
  ["upper-case hex", Buffer.from(secret).toString("hex").toUpperCase()],
  ["URL-encoded", encodeURIComponent(secret)],
  ["URL-encoded with small letters", encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase())],
  ["JSON", JSON.stringify(secret)],
];

describe("a held value is found", () => {
  test.each(spellings)("%s", (_, text) => {
    const result = redact(`before ${text} after`);
    expect(result).toContain("***");
    expect(result).not.toContain(text);
  });

  test.each([0, 1, 2, 3, 4, 5])("in base64 after %i other bytes, both alphabets", (offset) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${"p".repeat(offset)}${secret}tail`).toString(encoding);
      const left = redact(text).split("***");
      expect(left).toHaveLength(2);
      // the edges share bits with the neighbors; what is left must not decode to the value
      expect(Buffer.from(left.join(""), encoding).toString()).not.toContain(secret.slice(2, -2));
    }
  });
});

const key = "sk-lab-0123456789-abcdefghij-KLMNOPQRST";
const wrap = (text: string, width: number, end = "\n"): string =>
  text.replace(new RegExp(`.{${width}}(?=.)`, "g"), (line) => line + end);

test.each([4, 7, 20, 76])("broken over lines of %i characters: base64, hex, plain, with any line end", (width) => {
  holdSecret(key, "LAB_KEY");
  const forms: [text: string, encoding: BufferEncoding][] = [
    [Buffer.from(`first ${key} last`).toString("base64"), "base64"],
    [Buffer.from(key).toString("hex"), "hex"],
    [Buffer.from(key).toString("hex").toUpperCase(), "hex"],
    [key, "utf8"],
  ];
  for (const [form, encoding] of forms) {
    for (const end of ["\n", "\r\n", "\n  "]) {
      const result = redact(`OUT: ${wrap(form, width, end)}\nand words\n`);
      expect(result).toContain("***");
      expect(result).toEndWith("\nand words\n");
      const left = result.slice("OUT: ".length, -"\nand words\n".length).split("***").join("").replace(/\s/g, "");
      expect(Buffer.from(left, encoding).toString()).not.toMatch(/0123|789|abc|hij|KLM/);
    }
  }
});

test("words on lines of their own are no part of a value", () => {
  holdSecret(key, "LAB_KEY");
  const text = "alpha\nbeta\ngamma\nsk-lab\n0123456789\nother\n";
  expect(redact(text)).toBe(text);
});

test("values under eight characters and blank ones are not held", () => {
  forgetSecrets();
  for (const value of ["", "   ", "short", " 1234567 "]) holdSecret(value);
  expect(heldSecrets()).toEqual([]);
  expect(redact("short 1234567")).toBe("short 1234567");
});

test("a value is held once, with its name", () => {
  holdSecret(secret, "AGAIN");
  expect(heldSecrets()).toEqual([{ name: "LAB_KEY", value: secret }]);
});

test("of two values where one begins with the other, no part is left", () => {
  holdSecret("alphabeta1");
  holdSecret("alphabeta1-and-more");
  expect(redact("x alphabeta1-and-more y")).toBe("x *** y");
});

test("overlapping values are joined", () => {
  holdSecret("alphabeta-one");
  holdSecret("one-gammadelta");
  expect(redact("[alphabeta-one-gammadelta]")).toBe("[***]");
  expect(findHeldSecrets("alphabeta-one-gammadelta")).toEqual([{ start: 0, end: 24 }]);
});

test("what the pattern rules leave of a held value is nothing, whatever stands around it", () => {
  for (const around of [
    `API_KEY=${secret}`,
    `https://u:${encodeURIComponent(secret)}@h/`,
    `{"token":${JSON.stringify(secret)}}`,
  ]) {
    expect(redact(around)).not.toContain("key/");
  }
});

test("a thousand held values do not slow a long text down by a thousand", () => {
  const text = "the quick brown fox jumps over the lazy dog ".repeat(20_000);
  const timeOf = (): number => {
    const start = performance.now();
    redact(text);
    return performance.now() - start;
  };
  timeOf();
  const few = Math.max(timeOf(), 1);
  for (let index = 0; index < 1000; index += 1) holdSecret(`held-value-${index}-${index * 7919}`);
  timeOf();
  expect(timeOf() / few).toBeLessThan(100);
});
