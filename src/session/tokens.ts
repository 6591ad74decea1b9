/** Scripts written without blanks between words; their runs are indexed as pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/**
 * The text as the index reads it: a run of n unspaced characters becomes its n-1 overlapping pairs and its last
 * character, so that pairs find every word inside and `X*` finds every single character.
 */
export function indexText(text: string): string {
  return text.replace(UNSPACED, (run) => ` ${[...pairsOf(run), lastCharacter(run)].join(" ")} `);
}

/** The overlapping pairs of a run, in order; none for a single character. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

function lastCharacter(run: string): string {
  return [...run].at(-1) ?? "";
}

/** A piece of text: words of spaced scripts, or a run of unspaced ones. */
export interface Piece {
  text: string;
  unspaced: boolean;
}

/** Words (letters, marks, digits) and unspaced runs in order; everything else separates. */
export function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    let end = 0;
    for (const match of word.matchAll(UNSPACED)) {
      if (match.index > end) pieces.push({ text: word.slice(end, match.index), unspaced: false });
      pieces.push({ text: match[0], unspaced: true });
      end = match.index + match[0].length;
    }
    if (end < word.length) pieces.push({ text: word.slice(end), unspaced: false });
  }
  return pieces;
}
