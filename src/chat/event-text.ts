import { oneLine, stripControls } from "../base/text.ts";
import type { AgentEvent } from "../plugin/events.ts";
import { resultText } from "../tools/index.ts";

/** Colors of a terminal, or none. */
export interface Palette {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export function createPalette(colors: boolean): Palette {
  const wrap = (code: number) => (text: string) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { dim: wrap(2), bold: wrap(1), red: wrap(31), green: wrap(32), yellow: wrap(33) };
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const diffLimitLines = 40;

/** The lines of the tool feed for an event; undefined when it has none. Text from tools never moves the cursor. */
export function feedLine(event: AgentEvent, palette: Palette): string | undefined {
  switch (event.type) {
    case "tool-start":
      return palette.dim(`  ▸ ${event.name} ${oneLine(stripControls(event.preview), 100)}`.trimEnd());
    case "tool-end": {
      const mark = event.isError ? palette.red("✗") : palette.green("✓");
      const why = event.isError ? ` ${oneLine(stripControls(resultText(event.result)), 160)}` : "";
      const line = `  ${mark} ${palette.dim(`${event.name} ${duration(event.durationMs)}${why}`)}`;
      return event.diff === undefined ? line : `${line}\n${diffLines(event.diff, palette)}`;
    }
    case "notice":
      return event.level === "info"
        ? palette.dim(`  · ${event.text}`)
        : palette.yellow(`  ! ${stripControls(event.text)}`);
    case "learning":
      return palette.dim(`  ✎ ${event.text}`);
    default:
      return undefined;
  }
}

function diffLines(diff: string, palette: Palette): string {
  const lines = stripControls(diff).split("\n");
  const shown = lines.slice(0, diffLimitLines).map((line) => {
    if (line.startsWith("+")) return palette.green(`    ${line}`);
    return line.startsWith("-") ? palette.red(`    ${line}`) : palette.dim(`    ${line}`);
  });
  if (lines.length > diffLimitLines) shown.push(palette.dim(`    … ${lines.length - diffLimitLines} more lines`));
  return shown.join("\n");
}

/** What a failed turn says: the error and its next step. */
export function errorLines(event: Extract<AgentEvent, { type: "turn-end" }>): string[] {
  if (event.error === undefined) return [];
  return [
    `error: ${event.error.message}`,
    ...(event.error.hint === undefined ? [] : [`  try: ${event.error.hint}`]),
  ].map(stripControls);
}
