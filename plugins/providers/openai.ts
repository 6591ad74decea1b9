import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "openai",
  name: "OpenAI",
  description: "OpenAI's own models",
  aliases: ["openai-api"],
  wire: "chat-completions",
  baseUrl: "https://api.openai.com/v1",
  baseUrlEnv: ["OPENAI_BASE_URL"],
  credentials: { env: ["OPENAI_API_KEY"], required: true },
  quirks: { outputLimitField: "max_completion_tokens", reasoning: "reasoning_effort" },
});
