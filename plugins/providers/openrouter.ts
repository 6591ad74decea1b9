import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "openrouter",
  name: "OpenRouter",
  description: "models of many makers through one account",
  wire: "chat-completions",
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlEnv: ["OPENROUTER_BASE_URL"],
  credentials: { env: ["OPENROUTER_API_KEY"], required: true },
  defaultModel: "anthropic/claude-opus-4.6",
  quirks: { reasoning: "openrouter", headers: { "X-Title": "hermes" } },
});
