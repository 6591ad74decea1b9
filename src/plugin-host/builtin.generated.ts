// written by scripts/gen-plugins.ts
import type { BuiltinPlugin } from "./builtin-plugin.ts";

/** Every plugin of the executable; nothing is loaded until `load` is called. */
export const builtinPlugins: BuiltinPlugin[] = [
  {
    kind: "provider",
    id: "custom",
    aliases: ["vllm"],
    name: "Custom endpoint",
    description: "any OpenAI-compatible server by its base URL",
    load: () => import("../../plugins/providers/custom.ts"),
  },
  {
    kind: "provider",
    id: "llamacpp",
    aliases: ["llama.cpp", "llama-cpp"],
    name: "llama.cpp",
    description: "a local model served by llama-server",
    load: () => import("../../plugins/providers/llamacpp.ts"),
  },
  {
    kind: "provider",
    id: "lmstudio",
    aliases: ["lm-studio", "lm_studio"],
    name: "LM Studio",
    description: "local models served by LM Studio",
    load: () => import("../../plugins/providers/lmstudio.ts"),
  },
  {
    kind: "provider",
    id: "ollama",
    aliases: [],
    name: "Ollama",
    description: "local models served by Ollama",
    load: () => import("../../plugins/providers/ollama.ts"),
  },
  {
    kind: "provider",
    id: "openai",
    aliases: ["openai-api"],
    name: "OpenAI",
    description: "OpenAI's own models",
    load: () => import("../../plugins/providers/openai.ts"),
  },
  {
    kind: "provider",
    id: "openrouter",
    aliases: [],
    name: "OpenRouter",
    description: "models of many makers through one account",
    load: () => import("../../plugins/providers/openrouter.ts"),
  },
];
