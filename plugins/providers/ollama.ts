import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "ollama",
  name: "Ollama",
  description: "local models served by Ollama",
  wire: "chat-completions",
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlEnv: ["OLLAMA_BASE_URL"],
  credentials: { env: [], required: false },
  quirks: { local: true },
});
