/** the largest block looked at: a 16,384 bit RSA key has 13,000 characters */
const blockLimit = 16_384;
const opening = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyLines = /(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})*(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{1,64}={1,2})?/y;
const closing = /-----END [A-Z0-9 ]{0,40}-----/y;

/** A private key block; `open` when its end was not seen and more text may still bring it. */
export interface PrivateKeyBlock {
  start: number;
  end: number;
  open: boolean;
}

/** The private key blocks of a text; one that is cut off ends with the last line that looks like a key. */
export function findPrivateKeys(text: string): PrivateKeyBlock[] {
  const blocks: PrivateKeyBlock[] = [];
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const block = blockAt(text, match.index, match.index + match[0].length);
    blocks.push(block);
    opening.lastIndex = block.end;
  }
  return blocks;
}

export function redactPrivateKeys(text: string): string {
  let result = "";
  let position = 0;
  for (const block of findPrivateKeys(text)) {
    result += `${text.slice(position, block.start)}[REDACTED PRIVATE KEY]`;
    position = block.end;
  }
  return position === 0 ? text : result + text.slice(position);
}

/** True when a block begins, or may be about to begin, before the end of `text` and is not closed. */
export function mayOpenPrivateKey(text: string): boolean {
  return /-----BEGIN[A-Z0-9 ]{0,60}-{0,4}$/.test(text.slice(-80));
}

function blockAt(text: string, start: number, bodyStart: number): PrivateKeyBlock {
  const window = text.slice(bodyStart, start + blockLimit);
  const relative = window.indexOf("-----END ");
  if (relative >= 0) {
    closing.lastIndex = bodyStart + relative;
    const end = closing.exec(text);
    if (end !== null) return { start, end: closing.lastIndex, open: false };
  }
  keyLines.lastIndex = 0;
  keyLines.exec(window);
  return { start, end: bodyStart + keyLines.lastIndex, open: text.length < start + blockLimit + 64 };
}
