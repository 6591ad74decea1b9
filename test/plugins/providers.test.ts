import { expect, test } from "bun:test";
import { listProviders, loadProvider } from "../../src/plugin-host/index.ts";
import { testProvider } from "../contracts/provider.ts";

for (const { id } of listProviders()) testProvider(id, await loadProvider(id));

test("the providers of this hermes", () => {
  expect(listProviders().map((provider) => provider.id)).toEqual([
    "custom",
    "llamacpp",
    "lmstudio",
    "ollama",
    "openai",
    "openrouter",
  ]);
});

test("an alias loads its provider, and no id or alias stands twice", async () => {
  expect((await loadProvider("LM-Studio")).id).toBe("lmstudio");
  const names = listProviders().flatMap((provider) => [provider.id, ...provider.aliases]);
  expect(new Set(names).size).toBe(names.length);
});
