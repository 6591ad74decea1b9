import { expect, test } from "bun:test";
import { isHermesError } from "../../src/base/errors.ts";
import { type ModelQuery, resolveModel, type ResolvedModel } from "../../src/models/index.ts";
import { startFakeOpenAi } from "../fakes/openai.ts";

const nowhere: typeof fetch = Object.assign(() => Promise.reject(new Error("connection refused")), {
  preconnect: fetch.preconnect,
});

function query(environment: Record<string, string>, overrides: Partial<ModelQuery> = {}): ModelQuery {
  return {
    config: { default: "", provider: "", base_url: "", api_key: "", context_length: null },
    customProviders: [],
    environment,
    fetch: nowhere,
    now: () => new Date(),
    ...overrides,
  };
}

async function codeOf(run: Promise<ResolvedModel>): Promise<string> {
  try {
    const model = await run;
    return `${model.provider} ${model.model}`;
  } catch (error) {
    if (!isHermesError(error)) throw error;
    return `${error.code}: ${error.hint}`;
  }
}

const config = (values: Partial<ModelQuery["config"]>): ModelQuery["config"] => ({
  default: "m",
  provider: "",
  base_url: "",
  api_key: "",
  context_length: null,
  ...values,
});

test("a base URL, a key and -m suffice without any file", async () => {
  const model = await resolveModel(
    query({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1/", OPENAI_API_KEY: "abcd1234" }, { model: "m" }),
  );
  expect(model).toMatchObject({
    provider: "custom",
    model: "m",
    baseUrl: "http://127.0.0.1:1/v1",
    hasKey: true,
    local: true,
  });
});

test.each([
  [{ OPENROUTER_API_KEY: "or-key-1234", OPENAI_API_KEY: "oa-key-1234" }, "openrouter"],
  [{ OPENAI_API_KEY: "oa-key-1234" }, "openai"],
  [{ HERMES_INFERENCE_PROVIDER: "ollama", OPENAI_API_KEY: "oa-key-1234" }, "ollama"],
])("%p chooses %s", async (environment, provider) => {
  expect((await resolveModel(query(environment, { model: "m" }))).provider).toBe(provider);
});

test("the config beats a stale variable, a flag beats the config", async () => {
  const environment = {
    HERMES_INFERENCE_PROVIDER: "openai",
    OPENAI_API_KEY: "oa-key-1234",
    OPENROUTER_API_KEY: "or-key-1234",
  };
  const settings = { config: config({ provider: "openrouter" }) };
  expect((await resolveModel(query(environment, settings))).provider).toBe("openrouter");
  expect((await resolveModel(query(environment, { ...settings, provider: "openai", model: "m" }))).provider).toBe(
    "openai",
  );
});

test("fillers are no keys", async () => {
  expect(await codeOf(resolveModel(query({ OPENAI_API_KEY: "changeme" }, { model: "m" })))).toStartWith(
    "E_PROVIDER_NONE",
  );
});

test("without a choice a local server that answers is taken, with its only model", async () => {
  await using fake = startFakeOpenAi();
  fake.models([{ id: "tiny" }]);
  const model = await resolveModel(
    query({ LM_BASE_URL: fake.baseUrl }, {
      fetch: (input, init) =>
        (input instanceof Request ? input.url : input.toString()).startsWith(fake.baseUrl)
          ? fetch(input, init)
          : Promise.reject(new Error("refused")),
    } as Partial<ModelQuery>),
  );
  expect(model).toMatchObject({ provider: "lmstudio", model: "tiny" });
});

test("with several models the choice is the user's, and the hint names them", async () => {
  await using fake = startFakeOpenAi();
  fake.models(["one", "two"]);
  expect(await codeOf(resolveModel(query({ OPENAI_BASE_URL: fake.baseUrl }, { fetch })))).toBe(
    "E_MODEL_NONE: choose one with -m, like -m one; offered: one, two",
  );
});

test.each([
  ["opnai", 'E_PROVIDER_UNKNOWN: did you mean "openai"?'],
  ["custom:nothing", "E_PROVIDER_UNKNOWN: hermes config show custom_providers"],
  ["openrouter", "E_PROVIDER_KEY: hermes config set OPENROUTER_API_KEY KEY"],
  ["custom", "E_PROVIDER_URL: hermes config set model.base_url http://127.0.0.1:8000/v1, or set OPENAI_BASE_URL"],
])("provider %s: %s", async (provider, expected) => {
  expect(await codeOf(resolveModel(query({}, { provider, model: "m" })))).toBe(expected);
});

test("a base URL that is none is named", async () => {
  expect(await codeOf(resolveModel(query({ OPENAI_BASE_URL: "localhost:8000" }, { model: "m" })))).toStartWith(
    "E_PROVIDER_URL",
  );
});

test("the OpenRouter key never goes to another host", async () => {
  const model = await resolveModel(
    query({ OPENROUTER_API_KEY: "or-key-1234", OPENAI_BASE_URL: "https://other.example/v1" }, { model: "m" }),
  );
  expect(model).toMatchObject({ provider: "custom", hasKey: false });
});

test("a named provider of the config brings its URL, key and model", async () => {
  const customProviders = [{ name: "My Box", base_url: "http://127.0.0.1:7/v1", key_env: "BOX_KEY", model: "boxed" }];
  for (const provider of ["custom:my-box", "my box", "My-Box"]) {
    const model = await resolveModel(query({ BOX_KEY: "box-key-1234" }, { provider, customProviders }));
    expect(model).toMatchObject({ provider: "custom:my-box", model: "boxed", hasKey: true });
  }
});

test("a custom provider named like a built-in id does not shadow it", async () => {
  const customProviders = [{ name: "ollama", base_url: "http://127.0.0.1:7/v1" }];
  expect((await resolveModel(query({}, { provider: "ollama", model: "m", customProviders }))).baseUrl).toBe(
    "http://127.0.0.1:11434/v1",
  );
});

test("a configured context length of 0 is ignored, a real one wins", async () => {
  const environment = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  expect((await resolveModel(query(environment, { config: config({ context_length: 0 }) }))).contextTokens).toBe(
    128_000,
  );
  expect((await resolveModel(query(environment, { config: config({ context_length: 9000 }) }))).contextTokens).toBe(
    9000,
  );
});
