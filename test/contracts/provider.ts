import { expect, test } from "bun:test";
import { type ModelQuery, resolveModel } from "../../src/models/index.ts";
import type { ProviderDefinition } from "../../src/plugin/provider.ts";
import { expectNoViolations, startFakeOpenAi } from "../fakes/openai.ts";

/** What every provider must do, run against a server that speaks its wire strictly. */
export function testProvider(id: string, definition: ProviderDefinition): void {
  const queryFor = (baseUrl: string, key: string | undefined): ModelQuery => ({
    provider: id,
    model: "test-model",
    config: { default: "", provider: id, base_url: baseUrl, api_key: key ?? "", context_length: null },
    customProviders: [],
    environment: {},
    fetch,
    now: () => new Date(),
  });

  test(`${id}: its id is its file's name, and its texts are there`, () => {
    expect(definition.id).toBe(id);
    expect(definition.name.length).toBeGreaterThan(1);
    expect(definition.description.length).toBeGreaterThan(9);
    for (const name of definition.credentials.env) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
  });

  test(`${id}: sends its key, streams an answer and a tool call`, async () => {
    await using fake = startFakeOpenAi({ key: "contract-key-1234" });
    fake.reply({ text: "Hello.", tools: [{ name: "todo", arguments: { a: 1 } }] });
    const { client } = await resolveModel(queryFor(fake.baseUrl, "contract-key-1234"));
    const seen: string[] = [];
    const request = {
      model: "test-model",
      messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }],
      tools: [{ name: "todo", description: "a list", parameters: { type: "object", properties: {} } }],
      maxOutputTokens: 64,
      reasoning: { enabled: true, effort: "low" as const },
    };
    for await (const event of client.stream(request, new AbortController().signal)) seen.push(event.type);
    expect(seen.filter((type, index) => type !== seen[index - 1])).toEqual([
      "text-delta",
      "tool-call-start",
      "usage",
      "tool-call",
      "finish",
    ]);
    expectNoViolations(fake);
  });

  test(`${id}: lists models, and a refused key is an auth failure`, async () => {
    await using fake = startFakeOpenAi({ key: "contract-key-1234" });
    const good = await resolveModel(queryFor(fake.baseUrl, "contract-key-1234"));
    expect(await good.client.listModels?.(new AbortController().signal)).toEqual([{ id: "test-model" }]);
    const bad = await resolveModel(queryFor(fake.baseUrl, "wrong-key-12345678"));
    const error = await bad.client.listModels?.(new AbortController().signal).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ failure: "auth", status: 401 });
  });
}
