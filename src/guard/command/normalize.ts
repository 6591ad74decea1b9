import type { Findings } from "./findings.ts";

/** in UTF-16 units; longer commands are not parsed */
export const maximumLength = 65_536;

const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const invisible = /\p{Default_Ignorable_Code_Point}|[\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff0-\ufffb]/gu;
const spaces = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;

/** Asks about characters that show something else than what runs. */
export function checkCharacters(command: string, findings: Findings): void {
  if (command.length > maximumLength)
    findings.ask("command too long", `has ${command.length} characters, too many to be judged`);
  if (command.search(controls) >= 0)
    findings.ask("control characters", "holds control characters, which can hide what runs");
  if (command.search(invisible) >= 0 || command.search(spaces) >= 0) {
    findings.ask("invisible characters", "holds invisible characters, which can hide what runs");
  }
  if (!command.isWellFormed()) findings.ask("invisible characters", "holds broken characters");
}

/**
 * The readings of a command that are judged: as it is, and as it looks when escapes, controls and look-alikes are
 * taken away. The strictest reading counts; what runs is the original.
 */
export function readings(command: string): string[] {
  const visible = command
    .replace(escapes, "")
    .replace(controls, "")
    .replace(invisible, "")
    .replace(spaces, " ")
    .normalize("NFKC");
  const joined = visible.replace(/\\\n/g, "").replace(/\|[ \t]*\\?\n/g, "| ");
  const spaced = joined.replace(/\$(?:\{IFS\}|IFS\b(?!\())/g, " ").replace(/\$IFS(?=[-/])/g, " ");
  return [...new Set([command, visible, spaced])];
}
