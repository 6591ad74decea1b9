/** One command: what help says of it, and how it is loaded. */
export interface CommandEntry {
  name: string;
  /** shown behind the name in help */
  usage: string;
  description: string;
  /** the module's default export is a citty command */
  load(): Promise<{ default: unknown }>;
}

/** Every command. Help is printed from here; a command's module is loaded only when it runs. */
export const commands: CommandEntry[] = [
  {
    name: "chat",
    usage: "[-q TEXT]",
    description: "Talk to the agent, or ask one question (the default command)",
    load: () => import("./commands/chat.ts"),
  },
  {
    name: "sessions",
    usage: "list|show|search|export|delete",
    description: "Past sessions",
    load: () => import("./commands/sessions.ts"),
  },
  {
    name: "config",
    usage: "show|get|set|edit|path|check",
    description: "Settings in config.yaml and .env",
    load: () => import("./commands/config.ts"),
  },
  {
    name: "status",
    usage: "",
    description: "What is configured and where data lives",
    load: () => import("./commands/status.ts"),
  },
  {
    name: "doctor",
    usage: "[--fix]",
    description: "Check the installation and the connection to the model",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "demo",
    usage: "",
    description: "See the agent work, without key or network",
    load: () => import("./commands/demo.ts"),
  },
  {
    name: "version",
    usage: "",
    description: "Version, build and runtime",
    load: () => import("./commands/version.ts"),
  },
];
