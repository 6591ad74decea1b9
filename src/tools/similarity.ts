/**
 * How alike two sequences are: twice the matched elements over all elements, matched by longest common blocks.
 * @returns 0 (nothing in common) to 1 (equal); two empty sequences are equal
 */
export function similarity(left: string, right: string): number {
  const total = left.length + right.length;
  if (total === 0) return 1;
  return (2 * matchedLength(left, right)) / total;
}

/** Positions of every character, so that a block search does not compare all pairs. */
function positionsOf(text: string): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const known = positions.get(character);
    if (known === undefined) positions.set(character, [index]);
    else known.push(index);
  }
  return positions;
}

interface Range {
  leftStart: number;
  leftEnd: number;
  rightStart: number;
  rightEnd: number;
}

function matchedLength(left: string, right: string): number {
  const positions = positionsOf(right);
  const open: Range[] = [{ leftStart: 0, leftEnd: left.length, rightStart: 0, rightEnd: right.length }];
  let matched = 0;
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const block = longestBlock(left, positions, range);
    if (block.size === 0) continue;
    matched += block.size;
    open.push({ ...range, leftEnd: block.left, rightEnd: block.right });
    open.push({ ...range, leftStart: block.left + block.size, rightStart: block.right + block.size });
  }
  return matched;
}

function longestBlock(
  left: string,
  positions: Map<string, number[]>,
  range: Range,
): { left: number; right: number; size: number } {
  let best = { left: range.leftStart, right: range.rightStart, size: 0 };
  let lengths = new Map<number, number>();
  for (let index = range.leftStart; index < range.leftEnd; index += 1) {
    const next = new Map<number, number>();
    for (const position of positions.get(left.charAt(index)) ?? []) {
      if (position < range.rightStart) continue;
      if (position >= range.rightEnd) break;
      const size = (lengths.get(position - 1) ?? 0) + 1;
      next.set(position, size);
      if (size > best.size) best = { left: index - size + 1, right: position - size + 1, size };
    }
    lengths = next;
  }
  return best;
}
