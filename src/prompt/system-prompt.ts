import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFile } from "../base/fs.ts";
import { userHome } from "../base/paths.ts";
import { redact } from "../base/redact.ts";
import { findContextFiles, capText, screenText } from "./context-files.ts";

/** What the system prompt of a session is made of. Everything is frozen when the session starts. */
export interface PromptParts {
  /** path of SOUL.md */
  soulPath: string;
  toolNames: string[];
  cwd: string;
  model: string;
  provider: string;
  /** where the session runs: cli, cron, telegram … */
  source: string;
  /** the day the session began */
  startedAt: Date;
  timezone: string | undefined;
  /** `agent.system_prompt` of the config */
  callerPrompt: string | undefined;
  /** `agent.tool_use_enforcement` */
  enforcement: boolean | string | string[];
  /** false for sessions without project context */
  contextFiles: boolean;
}

export interface SystemPrompt {
  text: string;
  warnings: string[];
}

const identity = `You are Hermes, a personal AI agent on the user's own machine. You get real work done with your tools: you look before you act, do the whole task, check the result, and say plainly what you did and what you could not do. You are direct, warm and brief. You never invent results of tools you did not call.`;

const sessionSearchGuidance = `When the user refers to earlier work, or asks what was said, done or decided before, use session_search before you answer or ask.`;

const enforcementText = `When the task needs an action, call the tool in the same reply: do not announce that you will. Keep going until the task is done or you need something only the user has.`;

const geminiText = `Use absolute paths. Read a file before you edit it. Prefer commands that need no interaction.`;

const platformHints: Record<string, string> = {
  cli: "You write to a terminal: plain text, short lines, no tables wider than 80 columns.",
  cron: "Nobody is present: never ask, finish the task, and put everything worth knowing into your final answer.",
};

/** Builds the prompt once; the caller stores it and sends it byte for byte from then on. */
export function buildSystemPrompt(parts: PromptParts): SystemPrompt {
  const warnings: string[] = [];
  const soul = readSoul(parts.soulPath, warnings);
  const context = parts.contextFiles
    ? findContextFiles({ cwd: parts.cwd, home: dirname(parts.soulPath), userHome: userHome() })
    : { files: [], warnings: [] };
  warnings.push(...context.warnings);
  const layers = [
    soul ?? identity,
    parts.toolNames.includes("session_search") ? sessionSearchGuidance : "",
    enforcementLayer(parts),
    parts.callerPrompt ?? "",
    context.files.length === 0
      ? ""
      : ["# Project Context", ...context.files.map((file) => `## ${file.name}\n\n${file.text}`)].join("\n\n"),
    timeLayer(parts),
    platformHints[parts.source] ?? "",
  ];
  return {
    text: layers
      .map((layer) => layer.trim())
      .filter((layer) => layer !== "")
      .join("\n\n"),
    warnings,
  };
}

function readSoul(path: string, warnings: string[]): string | undefined {
  if (!existsSync(path)) return undefined;
  let text: string;
  try {
    text = readRegularFile(path).toString("utf8").toWellFormed().trim();
  } catch (error) {
    warnings.push(`SOUL.md could not be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  if (text === "") return undefined;
  const screened = screenText(text, "SOUL.md");
  if (screened.warning !== undefined) {
    warnings.push(screened.warning);
    return undefined;
  }
  return capText(redact(text), "SOUL.md");
}

const offWords = new Set(["false", "never", "no", "off"]);
const onWords = new Set(["true", "always", "yes", "on"]);
const enforcedModels = ["gpt", "codex", "gemini", "gemma"];

function enforcementLayer(parts: PromptParts): string {
  if (parts.toolNames.length === 0) return "";
  const model = parts.model.toLowerCase();
  const wanted = isEnforced(parts.enforcement, model);
  if (!wanted) return "";
  return /gemini|gemma/.test(model) ? `${enforcementText} ${geminiText}` : enforcementText;
}

function isEnforced(setting: boolean | string | string[], model: string): boolean {
  if (typeof setting === "boolean") return setting;
  if (Array.isArray(setting)) return setting.some((part) => model.includes(part.toLowerCase()));
  const word = setting.trim().toLowerCase();
  if (offWords.has(word)) return false;
  return onWords.has(word) || enforcedModels.some((part) => model.includes(part));
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Without Intl, whose data take 10 ms to load. */
function localDate(date: Date): string {
  const day = String(date.getDate()).padStart(2, "0");
  return `${weekdays[date.getDay()]}, ${months[date.getMonth()]} ${day}, ${date.getFullYear()}`;
}

function dateIn(timeZone: string, date: Date): string {
  const format = { weekday: "long", year: "numeric", month: "long", day: "2-digit", timeZone } as const;
  return new Intl.DateTimeFormat("en-US", format).format(date);
}

/** The date only: a time of day would change the prompt on every rebuild. */
function timeLayer(parts: PromptParts): string {
  const date = parts.timezone === undefined ? localDate(parts.startedAt) : dateIn(parts.timezone, parts.startedAt);
  return [
    `Conversation started: ${date}`,
    `Working directory: ${parts.cwd}`,
    `Model: ${parts.model}`,
    `Provider: ${parts.provider}`,
  ].join("\n");
}
