/** A text as lines with their positions; positions are UTF-16 units. */
export interface LineText {
  text: string;
  lines: string[];
  /** where each line starts */
  starts: number[];
}

/** A part of a text, end excluded. */
export interface Span {
  start: number;
  end: number;
}

export function toLineText(text: string): LineText {
  const lines = text.split("\n");
  const starts: number[] = [];
  let position = 0;
  for (const line of lines) {
    starts.push(position);
    position += line.length + 1;
  }
  return { text, lines, starts };
}

/** The lines to look for: a newline at the end does not make one more. */
export function patternLines(pattern: string): string[] {
  return pattern.replace(/\n$/, "").split("\n");
}

/** `count` whole lines from `first`, without the newline behind them. */
export function lineSpan(content: LineText, first: number, count: number): Span {
  const last = first + count - 1;
  return {
    start: content.starts[first] ?? 0,
    end: (content.starts[last] ?? 0) + (content.lines[last] ?? "").length,
  };
}

/** Every place where all lines match, none overlapping the one before. */
export function findLineRuns(
  content: LineText,
  pattern: string[],
  matches: (line: string, wanted: string, index: number) => boolean,
): Span[] {
  const spans: Span[] = [];
  for (let first = 0; first + pattern.length <= content.lines.length; first += 1) {
    if (!pattern.every((wanted, index) => matches(content.lines[first + index] ?? "", wanted, index))) continue;
    spans.push(lineSpan(content, first, pattern.length));
    first += pattern.length - 1;
  }
  return spans;
}
