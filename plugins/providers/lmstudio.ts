import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "lmstudio",
  name: "LM Studio",
  description: "local models served by LM Studio",
  aliases: ["lm-studio", "lm_studio"],
  wire: "chat-completions",
  baseUrl: "http://127.0.0.1:1234/v1",
  baseUrlEnv: ["LM_BASE_URL"],
  credentials: { env: ["LM_API_KEY"], required: false },
  quirks: { local: true },
});
