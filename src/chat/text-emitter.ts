import { stripControls } from "../base/text.ts";
import type { AgentEvent } from "../plugin/events.ts";
import { createPalette, feedLine } from "./event-text.ts";
import type { Output } from "./output.ts";

/**
 * Shows the text of the model as it comes on stdout and the tool feed through `feed`.
 * A line that was begun is ended before anything else is said.
 */
export function textEmitter(output: Output, feed: (text: string) => void): (event: AgentEvent) => void {
  const palette = createPalette(output.colors);
  let atLineStart = true;
  const endLine = (): void => {
    if (!atLineStart) output.stdout("\n");
    atLineStart = true;
  };
  return (event) => {
    if (event.type === "text-delta") {
      const text = stripControls(event.text);
      if (text === "") return;
      output.stdout(text);
      atLineStart = text.endsWith("\n");
      return;
    }
    const line = feedLine(event, palette);
    if (line !== undefined) {
      endLine();
      feed(`${line}\n`);
    }
    if (event.type === "turn-end") endLine();
  };
}
