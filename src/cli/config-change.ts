import { existsSync } from "node:fs";
import { processEnvironment, readEnv } from "../base/env.ts";
import { HermesError } from "../base/errors.ts";
import { ensureDirectory, writeFileAtomic } from "../base/fs.ts";
import { displayPath, hermesHome, homePaths } from "../base/paths.ts";
import { setConfigValue, unsetConfigValue } from "../config/index.ts";
import { cutLongWords } from "./render-error.ts";
import { checkSettings, modelWarnings } from "./config-report.ts";

/** Changes one setting and says what was written. */
export function changeSetting(key: string, value: string): void {
  const change = setConfigValue({ home: hermesHome(), environment: processEnvironment() }, key, value);
  if (change.warning !== undefined) process.stderr.write(`warning: ${cutLongWords(change.warning)}\n`);
  if (change.key.startsWith("model."))
    for (const { text } of modelWarnings(undefined, change.key)) process.stderr.write(`warning: ${text}\n`);
  const shown = change.secret ? "***" : typeof change.value === "string" ? change.value : JSON.stringify(change.value);
  process.stdout.write(`✓ Set ${cutLongWords(change.key)} = ${cutLongWords(shown)} in ${displayPath(change.path)}\n`);
}

/** Takes one setting out of its file and says from which. */
export function removeSetting(key: string): void {
  const removed = unsetConfigValue(hermesHome(), key);
  process.stdout.write(`✓ Removed ${removed.key} from ${displayPath(removed.path)}\n`);
}

const template = `# Settings of hermes. hermes config show --all lists every key and its value.
# model:
#   default: MODEL
#   provider: auto
`;

/**
 * Opens config.yaml in the user's editor, made with a few comments when it is not there, and checks it afterwards.
 * @returns the exit code: the check's
 * @throws {HermesError} E_NO_TERMINAL, E_NO_EDITOR, E_EDITOR
 */
export async function editSettings(): Promise<number> {
  const environment = processEnvironment();
  const path = homePaths(hermesHome()).config;
  const chosen = readEnv("VISUAL", environment) ?? readEnv("EDITOR", environment);
  if (chosen === undefined && !process.stdin.isTTY) {
    throw new HermesError("E_NO_TERMINAL", "hermes config edit needs a terminal or an editor in $VISUAL or $EDITOR", {
      hint: `edit ${path} yourself, or use hermes config set`,
    });
  }
  const found = ["nano", "vim", "vi"].find((name) => Bun.which(name, { PATH: readEnv("PATH", environment) ?? "" }));
  const editor = chosen ?? found;
  if (editor === undefined) {
    throw new HermesError("E_NO_EDITOR", "there is no editor: $VISUAL and $EDITOR are not set", {
      hint: `edit ${path} yourself, or export EDITOR=nano`,
    });
  }
  if (!existsSync(path)) {
    ensureDirectory(hermesHome());
    writeFileAtomic(path, template, { mode: 0o600 });
  }
  // an editor may come with options (`code --wait`), so the shell splits it; the path is an argument
  const child = Bun.spawn(["/bin/sh", "-c", `${editor} "$1"`, "sh", path], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  const code = await child.exited;
  if (code !== 0) {
    throw new HermesError("E_EDITOR", `the editor "${editor}" ended with ${code}`, {
      hint: `edit ${path} yourself, or set VISUAL to another editor`,
    });
  }
  const result = checkSettings(false);
  process.stdout.write(`${result.text}\n`);
  return result.code;
}
