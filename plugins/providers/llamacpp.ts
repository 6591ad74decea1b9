import { defineProvider } from "hermes/plugin";

export default defineProvider({
  id: "llamacpp",
  name: "llama.cpp",
  description: "a local model served by llama-server",
  aliases: ["llama.cpp", "llama-cpp"],
  wire: "chat-completions",
  baseUrl: "http://127.0.0.1:8080/v1",
  baseUrlEnv: ["LLAMACPP_BASE_URL"],
  credentials: { env: [], required: false },
  quirks: { local: true },
});
