import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "custom",
  name: "Custom endpoint",
  description: "any OpenAI-compatible server by its base URL",
  aliases: ["vllm"],
  wire: "chat-completions",
  baseUrlEnv: ["OPENAI_BASE_URL"],
  credentials: { env: ["OPENAI_API_KEY"], required: false },
});
