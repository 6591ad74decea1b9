import { afterEach, describe, expect, test } from "bun:test";
import { forgetSecrets, holdSecret } from "../../src/base/held-secrets.ts";
import { maskForStatus, maskSecret, redact } from "../../src/base/redact.ts";

afterEach(forgetSecrets);

const masked: [input: string, output: string][] = [
  ["sk-proj-abcdefghijklmnopqrst", "sk-pro...qrst"],
  ["key=sk-short1234567", "key=***"],
  ["OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrst", "OPENAI_API_KEY=sk-pro...qrst"],
  ['export MY_SECRET_TOKEN="supersecretvalue123456789"', 'export MY_SECRET_TOKEN="supers...6789"'],
  ["export MY_SECRET_TOKEN='super secret value 123456789'", "export MY_SECRET_TOKEN='super ...6789'"],
  ["PASSWORD=hunter2", "PASSWORD=***"],
  ['{"apiKey": "abcdefghijklmnopqrstuvwxyz"}', '{"apiKey": "abcdef...wxyz"}'],
  ['{"access_token":"short"}', '{"access_token": "***"}'],
  ['"{\\"token\\": \\"abcdefghijklmnopqrstuvwxyz\\"}"', '"{\\"token\\": \\"abcdef...wxyz\\"}"'],
  ["Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer abcdef...wxyz"],
  ["authorization: bearer abcdefghijklmnopqrstuvwxyz", "authorization: bearer abcdef...wxyz"],
  ["x-api-key: abcdefghijklmnopqrstuvwxyz", "x-api-key: abcdef...wxyz"],
  ["bot123456789:ABCDEfghij-KLMNopqrst_UVWXyz12345", "bot123456789:***"],
  ["postgres://bob:s3cret@db/x", "postgres://bob:***@db/x"],
  ["postgresql://bob:s3c@ret@db/x", "postgresql://bob:***@db/x"],
  ["mongodb+srv://bob:s3cret@db/x", "mongodb+srv://bob:***@db/x"],
  ["amqp://bob:s3cret@mq and mysql://a:b@c", "amqp://bob:***@mq and mysql://a:***@c"],
  ["redis://:pw@h:6379", "redis://:***@h:6379"],
  ["https://u:p@example.com/x", "https://u:***@example.com/x"],
  ["SG.abcdefghijk.lmnopqrstuv", "SG.abc...stuv"],
  ["call +14155550123 now", "call +141****0123 now"],
  ["+4479460", "+4****60"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123def456", "eyJhbG...f456"],
  ["password=foo&user=bar", "password=***&user=bar"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----", "[REDACTED PRIVATE KEY]"],
  ["a -----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK----- b", "a [REDACTED PRIVATE KEY] b"],
  [
    `-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}\n${"B".repeat(40)}\nthe rest was cut`,
    "[REDACTED PRIVATE KEY]\nthe rest was cut",
  ],
];

const prefixes =
  "sk- sk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ xoxb- xoxa- xoxp- xoxr- xoxs- pplx- fal_ fc- bb_live_ sk_live_ sk_test_ rk_live_ hf_ r8_ npm_ pypi- dop_v1_ doo_v1_ am_ tvly- exa_ gsk_ syt_ hsk- mem0_ brv_ ntn_ retaindb_ SG.".split(
    " ",
  );

const kept = [
  "HOME=/home/u",
  "PATH=/usr/bin",
  '{"name":"John"}',
  "task_abc",
  "ask-me-anything-now",
  "The password is checked, the token expires, and secrets stay secret.",
  "https://api.example.com/v1/chat",
  "https://x.example/cb?access_token=abcdefghijklmnop&state=1",
  "api_key = config.get('x')",
  "GIT_AUTHOR_NAME=ana",
  "MAX_TOKENS=4096",
  "API_KEY=$OTHER_KEY",
  "API_KEY=${OTHER_KEY}",
  "Authorization: Bearer <token>",
  "AKIA1234567890",
  "sk-short",
  "12:30:45 and 2026-03-15T09:24:37Z",
  "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
];

describe("secrets known by their shape", () => {
  test.each(masked)("%j", (input, output) => {
    expect(redact(input)).toBe(output);
  });

  test.each(prefixes)("a key that begins with %s, alone and beside punctuation", (prefix) => {
    const key = `${prefix}abcdefghijklmnopqrst`;
    expect(redact(`(${key}), "${key}"`)).not.toContain("ghijklmnop");
    expect(redact(`x${key}`)).toBe(`x${key}`);
  });

  test.each([`AIza${"a".repeat(35)}`, `xai-${"b".repeat(30)}`, `gAAAA${"c".repeat(20)}`, "AKIAABCDEFGHIJKLMNOP"])(
    "%s",
    (key) => {
      expect(redact(key)).toBe(`${key.slice(0, 6)}...${key.slice(-4)}`);
    },
  );
});

test.each(kept)("%j stays as it is", (text) => {
  expect(redact(text)).toBe(text);
});

test.each(masked)("redacting %j twice changes nothing more", (input) => {
  const once = redact(input);
  expect(redact(once)).toBe(once);
});

test("source code keeps its assignments and JSON fields, but no key", () => {
  const code = 'const TOKEN="not a secret"; x = {"password": "placeholder"}';
  expect(redact(code, { code: true })).toBe(code);
  expect(redact("sk-proj-abcdefghijklmnopqrst", { code: true })).toBe("sk-pro...qrst");
});

test("switched off, shapes are shown and held values are not", () => {
  holdSecret("correct horse battery");
  const text = "PASSWORD=hunter2 correct horse battery";
  expect(redact(text, { patterns: false })).toBe("PASSWORD=hunter2 ***");
});

test("a masked secret shows at most ten characters, and a short one none", () => {
  expect(maskSecret("a".repeat(17))).toBe("***");
  expect(maskSecret("abcdefghijklmnopqr")).toBe("abcdef...opqr");
});

test("status shows the ends of a long secret only", () => {
  expect([
    maskForStatus(undefined),
    maskForStatus(""),
    maskForStatus("a".repeat(11)),
    maskForStatus("abcdefghijkl"),
  ]).toEqual(["(not set)", "(not set)", "***", "abcd...ijkl"]);
});

const hostile: [name: string, piece: string][] = [
  ["letters", "a"],
  ["upper-case letters", "A"],
  ["names of variables", "TOKEN"],
  ["open quotes", '"token":"'],
  ["key openings", "-----BEGIN PRIVATE KEY-----"],
  ["half key openings", "-----BEGIN "],
  ["URL openings", "://a:"],
  ["form fields", "a=b&"],
  ["token prefixes", "sk-"],
  ["digits", "1"],
  ["JWT openings", "eyJaaaa."],
  ["header words", "authorization: bearer "],
];

test.each(hostile)("time grows with the text, not with its square: %s", (_, piece) => {
  const timeOf = (size: number): number => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    const start = performance.now();
    redact(text);
    return performance.now() - start;
  };
  timeOf(50_000);
  const small = Math.max(timeOf(50_000), 1);
  // sixteen times the text: about 16 when linear, 256 when quadratic
  expect(timeOf(800_000) / small).toBeLessThan(130);
});

test("ten megabytes of mixed text come back redacted", () => {
  const line = "2026-03-15 request from 10.0.0.1 took 12 ms, key sk-proj-abcdefghijklmnopqrst\n";
  const text = line.repeat(Math.ceil(10_000_000 / line.length));
  expect(redact(text)).toBe(text.replaceAll("sk-proj-abcdefghijklmnopqrst", "sk-pro...qrst"));
});
