import { expect, test } from "bun:test";
import { classifyFailure, summarizeBody } from "../../src/models/classify.ts";
import { statedContextLimit } from "../../src/models/limit-text.ts";
import { familyContextTokens } from "../../src/models/context-length.ts";
import { isLocalUrl } from "../../src/models/local-address.ts";
import { createThinkTagFilter, stripThinkTags } from "../../src/models/think-tags.ts";

test.each([
  ["maximum context length is 32768 tokens", 32768],
  ["prompt is too long: 250000 tokens > 200000 maximum", 200000],
  ["context_length_exceeded: 131072", 131072],
  ["Maximum context size 65536 exceeded", 65536],
  ["Context size has been exceeded. Maximum context size is 8192", 8192],
  ["context window of 4096 tokens exceeded", 4096],
  ["This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192],
  ["context length is 42 tokens", undefined],
  ["maximum context length is 99999999999", undefined],
  ["Invalid API key", undefined],
  ["", undefined],
])("the limit stated by %j is %p", (text, limit) => {
  expect(statedContextLimit(text)).toBe(limit as number);
});

test.each([
  [401, "", "auth"],
  [403, "key limit exceeded", "billing"],
  [403, "not entitled", "auth"],
  [402, "usage quota: try again in 5 minutes", "rate-limit"],
  [402, "no credit", "billing"],
  [404, "model x does not exist", "model-not-found"],
  [404, "", "unknown"],
  [400, "max_tokens is not supported with this model, unsupported parameter", "format"],
  [400, "n_ctx_slot exceeded", "context-overflow"],
  [400, "输入超过最大长度", "context-overflow"],
  [400, "blocked by safety system", "policy"],
  [429, "token limit per minute exceeds the limit", "rate-limit"],
  [500, "unknown parameter: foo", "format"],
  [500, "boom", "server"],
  [undefined, "socket hang up", "connection"],
] as const)("status %p with %j is %s", (status, text, failure) => {
  expect(classifyFailure(status, text)).toBe(failure);
});

test("summaries read JSON, wrapped errors and HTML", () => {
  expect(summarizeBody(400, '{"error":{"message":"bad"}}')).toBe("bad");
  expect(
    summarizeBody(
      400,
      '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"inner\\"}}"}}}',
    ),
  ).toBe("inner");
  expect(summarizeBody(502, "<html><head><title>Bad gateway</title></head></html>")).toBe("HTTP 502 — Bad gateway");
  expect(summarizeBody(500, "x".repeat(900))).toHaveLength(500);
});

test("the longest family name wins", () => {
  expect(familyContextTokens("anthropic/claude-opus-4.6")).toBe(1_000_000);
  expect(familyContextTokens("claude-3-haiku")).toBe(200_000);
  expect(familyContextTokens("unheard-of")).toBeUndefined();
});

test.each([
  ["http://localhost:1234/v1", true],
  ["http://127.3.0.1/v1", true],
  ["http://[::1]:80/v1", true],
  ["http://192.168.1.4/v1", true],
  ["http://172.20.0.1/v1", true],
  ["http://box.local/v1", true],
  ["https://evil.example/localhost", false],
  ["http://172.32.0.1/v1", false],
  ["not a url", false],
])("%s is local: %p", (url, local) => {
  expect(isLocalUrl(url)).toBe(local);
});

test.each([
  ["<think>r</think> answer", "answer"],
  ["some</think>actual", "someactual"],
  ["a <think>x</think> b </thinking> c", "a b c"],
  ["<REASONING>deep</REASONING>\nyes", "yes"],
  ["1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>"],
  ["", ""],
])("without think tags %j reads %j", (text, visible) => {
  expect(stripThinkTags(text).replace(/ +/g, " ").trim()).toBe(visible);
});

test("any split of a stream gives the same visible text", () => {
  const text = "Hi <think>a <b> c</think>\nyou <thi nk> and <thought>z</thought>end <";
  const whole = stripThinkTags(text);
  for (let size = 1; size < text.length; size += 1) {
    const filter = createThinkTagFilter();
    let visible = "";
    for (let start = 0; start < text.length; start += size)
      visible += filter.push(text.slice(start, start + size)).visible;
    expect(visible + filter.flush().visible).toBe(whole);
  }
});
