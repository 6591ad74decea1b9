import type { Findings } from "./findings.ts";
import { hasRecursiveDelete } from "./program.ts";

const start =
  "(?:^|[\\n;&|({`]|\\$\\()[ \\t]*(?:(?:sudo|doas|exec|nohup|setsid|time|command)[ \\t]+(?:-[\\w-]+[ \\t]+)*|[A-Z_]{1,40}=\\S{0,100}[ \\t]{1,9}){0,4}";
const end = "(?=$|[\\s;&|)}`])";
const directory =
  "(?:/+(?:\\*|bin|boot|etc|home|lib|lib64|root|sbin|sys|usr|var|System|Library|Users)?/*\\*?|~/?\\*?|\\$\\{?HOME\\}?/?\\*?)";

/** never run, found in text that could not be parsed */
const hardline: [key: string, pattern: RegExp][] = [
  [
    "recursive delete of a system or home directory",
    new RegExp(`${start}(?:/bin/|\\\\)?rm[ \\t]+(?:-[\\w-]+[ \\t]+){1,6}["']?${directory}["']?${end}`, "i"),
  ],
  ["format filesystem", new RegExp(`${start}mkfs(?:\\.\\w+)?[ \\t]+[^\\n;|&]{0,200}/dev/`, "i")],
  ["write to block device", /(?:>[ \t]*|\bof=)\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk)/i],
  ["fork bomb", /:[ \t]*\(\)[ \t]*\{[ \t]*:[ \t]*\|[ \t]*:[ \t]*&/],
  ["kill all processes", new RegExp(`${start}kill[ \\t]+(?:-\\w+[ \\t]+)?-1${end}`)],
  [
    "system shutdown",
    new RegExp(
      `${start}(?:shutdown|reboot|halt|poweroff|(?:init|telinit)[ \\t]+[06]|systemctl[ \\t]+(?:poweroff|reboot|halt|kexec))${end}`,
    ),
  ],
];

const dangerous: [key: string, pattern: RegExp][] = [
  ["recursive delete", /\brm\b[^\n;|&]{0,40}[ \t]-[a-zA-Z]*[rR]/],
  ["format filesystem", /\bmkfs\b/i],
  ["disk copy", /\bdd[ \t]+(?:if|of)=/],
  ["pipe into shell", /\|[ \t]*(?:sudo[ \t]+)?(?:\/\S{0,60}\/)?(?:ba|z|da|k)?sh\b/],
  ["world/other-writable permissions", /\bchmod\b[^\n;|&]{0,40}(?:777|666|[oa]\+\w*w)/],
];

/** Looks for dangerous words in a text that could not be parsed; can only add findings. */
export function scanPlainText(text: string, findings: Findings): void {
  for (const [key, pattern] of hardline)
    if (pattern.test(text)) findings.refuse(key, "the text holds a command that is never run");
  for (const [key, pattern] of dangerous)
    if (pattern.test(text)) findings.ask(key, "the text holds a dangerous command");
}

const deleteFrom = /\bdelete\s{1,20}from\s{1,20}[^;"']{0,2000}/gi;

/** Looks at what no command line shows: SQL, and recursive deletes in texts that may be run later. */
export function scanTexts(text: string, findings: Findings): void {
  if (/\bdrop\s{1,20}(?:table|database|schema)\b/i.test(text)) findings.ask("SQL DROP", "drops a table or database");
  if (/\btruncate\s{1,20}table\b/i.test(text)) findings.ask("SQL TRUNCATE", "empties a table");
  if ([...text.matchAll(deleteFrom)].some((match) => !/\bwhere\b/i.test(match[0]))) {
    findings.ask("SQL DELETE without WHERE", "deletes every row of a table");
  }
  if (text.includes("<<") && hasRecursiveDelete(text))
    findings.ask("recursive delete", "the text holds a recursive delete");
}
