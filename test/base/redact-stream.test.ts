import { afterEach, expect, test } from "bun:test";
import { forgetSecrets, holdSecret } from "../../src/base/held-secrets.ts";
import { createStreamRedactor, redact } from "../../src/base/redact.ts";

afterEach(forgetSecrets);

/** A small generator of numbers, the same for each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const heldValue = "correct horse battery staple";
const heldForeign = "pässwörter-世界-geheim";
const pieces = [
  "plain words here",
  "sk-proj-abcdefghijklmnopqrst",
  'export MY_SECRET_TOKEN="super secret value 123456789" # end',
  '{"access_token" : "with blanks in it", "name": "John"}',
  '{"token": "never closed',
  "Authorization: Bearer abcdefghijklmnopqrstuvwxyz",
  "authorization: \n",
  "bot123456789:ABCDEfghij-KLMNopqrst_UVWXyz12345",
  "postgres://bob:s3cret@db/x",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefghijklmnopqrstuvwxyz\n-----END RSA PRIVATE KEY-----",
  `-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}\n`,
  "-----BEGIN CERTIFICATE-----",
  "call +14155550123 now",
  "password=foo&user=bar",
  heldValue,
  Buffer.from(heldValue).toString("base64"),
  Buffer.from(`one ${heldValue} two`)
    .toString("base64")
    .replace(/.{20}/g, (line) => `${line}\n`),
  Buffer.from(heldValue)
    .toString("hex")
    .replace(/.{16}/g, (line) => `${line}\r\n`),
  encodeURIComponent(heldValue),
  "correct horse",
  "\n",
  "\n\n",
  " ",
  "\t",
  "é世界🙂",
  "世界,你好。",
  "PASSWORD=pä55wört",
  "https://u:pä55@h/é",
  "Authorization: Bearer ä-very-long-tökén-indeed",
  "X-Api-Key: ä-very-long-tökén-indeed",
  heldForeign,
  "```ts\nconst a = 1;\n```",
];

test("the pieces of a stream, joined, are the redaction of the whole, however it was split", () => {
  holdSecret(heldValue);
  holdSecret(heldForeign);
  const random = randomFrom(20_260_315);
  for (let round = 0; round < 1500; round += 1) {
    let text = "";
    for (let index = 0; index < 1 + random() * 9; index += 1) {
      text += (pieces[Math.floor(random() * pieces.length)] ?? "") + (random() < 0.5 ? " " : "");
    }
    const redactor = createStreamRedactor();
    let out = "";
    for (let position = 0; position < text.length;) {
      const length = 1 + Math.floor(random() * (round % 3 === 0 ? 3 : 30));
      out += redactor.push(text.slice(position, position + length));
      position += length;
    }
    out += redactor.flush();
    expect(out).toBe(redact(text));
  }
});

test("unspaced scripts come out as they arrive", () => {
  const redactor = createStreamRedactor();
  expect(["你好", "，我", "用Bun", "写代码。"].map((piece) => redactor.push(piece))).toEqual([
    "你",
    "好，",
    "我",
    "用Bun写代码",
  ]);
});

test("no prefix of what came out holds a part of a secret that is still coming", () => {
  holdSecret(heldValue);
  for (const secret of ["sk-proj-abcdefghijklmnopqrst", heldValue]) {
    const redactor = createStreamRedactor();
    let out = "";
    for (const character of `say ${secret} now and then `) {
      out += redactor.push(character);
      expect(out.includes(secret.slice(0, 9))).toBe(false);
    }
  }
});

test("plain words come out at once, up to the last blank", () => {
  const redactor = createStreamRedactor();
  expect(redactor.push("Hello wor")).toBe("Hello ");
  expect(redactor.push("ld, how are")).toBe("world, how ");
  expect(redactor.flush()).toBe("are");
  expect(redactor.flush()).toBe("");
});

test("a script without blanks comes out as it comes in, and never half of a character", () => {
  const redactor = createStreamRedactor();
  const out = ["你好", "，世", "\ud83d", "\ude42", "界"].map((delta) => redactor.push(delta));
  expect(out.every((piece) => piece.isWellFormed())).toBe(true);
  expect(out.filter((piece) => piece !== "").length).toBeGreaterThan(2);
  expect(out.join("") + redactor.flush()).toBe("你好，世🙂界");
});

test("a private key that never ends is held back only for the length of a key", () => {
  const redactor = createStreamRedactor();
  const filler = "word ".repeat(5000);
  const out = redactor.push(`-----BEGIN PRIVATE KEY-----\n${filler}`);
  expect(out.length).toBeGreaterThan(1000);
  expect(out + redactor.flush()).toBe(redact(`-----BEGIN PRIVATE KEY-----\n${filler}`));
});

test("switched off, a stream still hides held values", () => {
  holdSecret(heldValue);
  const redactor = createStreamRedactor({ patterns: false });
  expect(
    redactor.push(`PASSWORD=hunter2 ${heldValue.slice(0, 10)}`) + redactor.push(heldValue.slice(10)) + redactor.flush(),
  ).toBe("PASSWORD=hunter2 ***");
});
