/** A piece of streamed text, sorted into what the user sees and what the model thought. */
export interface SortedText {
  visible: string;
  thought: string;
}

const names = "think|thinking|thought|reasoning|reasoning_scratchpad";
const openTag = new RegExp(`<(${names})>`, "i");
const closeTag = new RegExp(`</(?:${names})>[ \\t]*\\n?`, "i");
const longestTag = "</reasoning_scratchpad>".length;

/** Sorts a stream of text that may hold inline think tags; partial tags are held back until they are clear. */
export interface ThinkTagFilter {
  push(delta: string): SortedText;
  /** what was held back at the end of the stream; an unterminated block is thought */
  flush(): SortedText;
}

export function createThinkTagFilter(): ThinkTagFilter {
  let held = "";
  let inside = false;

  const drain = (atEnd: boolean): SortedText => {
    const out: SortedText = { visible: "", thought: "" };
    for (;;) {
      const tag = (inside ? closeTag : openTag).exec(held);
      if (tag === null) break;
      // white space after a closing tag may still be coming
      if (inside && !atEnd && tag.index + tag[0].length === held.length && !tag[0].endsWith("\n")) {
        if (held.length - tag.index < longestTag + 2) {
          out.thought += held.slice(0, tag.index);
          held = held.slice(tag.index);
          return out;
        }
      }
      const before = held.slice(0, tag.index);
      if (inside) out.thought += before;
      else out.visible += before;
      held = held.slice(tag.index + tag[0].length);
      inside = !inside;
    }
    if (!inside) held = dropStrayClose(held);
    const keep = atEnd ? 0 : partialTagLength(held);
    const ready = held.slice(0, held.length - keep);
    held = held.slice(held.length - keep);
    if (inside) out.thought += ready;
    else out.visible += ready;
    return out;
  };

  return {
    push(delta) {
      held += delta;
      return drain(false);
    },
    flush() {
      return drain(true);
    },
  };
}

function dropStrayClose(text: string): string {
  return text.replace(new RegExp(closeTag.source, "gi"), "");
}

/** How many characters at the end could be the start of a tag. */
function partialTagLength(text: string): number {
  const start = text.lastIndexOf("<");
  if (start === -1 || text.length - start > longestTag) return 0;
  const tail = text.slice(start).toLowerCase();
  const possible = names.split("|").flatMap((name) => [`<${name}>`, `</${name}>`]);
  return possible.some((tag) => tag.startsWith(tail)) ? tail.length : 0;
}

/** Whole text without think blocks, for text that was not streamed. */
export function stripThinkTags(text: string): string {
  const filter = createThinkTagFilter();
  return filter.push(text).visible + filter.flush().visible;
}
