const smallest = 1024;
const largest = 10_000_000;

// order matters: the limit must win over the requested size
const patterns = [
  /(?:max(?:imum)?|limit)[^.\d]{0,40}?context[\s_-]*(?:length|size|window)?[^.\d]{0,20}?(?:is|of|:|=)?\s*(\d[\d,]*)/i,
  /context[\s_-]*(?:length|size|window)[\s_a-z]*(?:is|of|:|=)\s*(\d[\d,]*)/i,
  /(\d[\d,]*)[\s-]*tokens?\s+(?:context|limit)/i,
  />\s*(\d[\d,]*)\s*(?:tokens?\s*)?(?:max|limit)/i,
  /(\d[\d,]*)\s*(?:tokens?\s*)?max(?:imum)?\b/i,
];

/** The context length in tokens that an error text states, undefined when it states none between 1,024 and 10,000,000. */
export function statedContextLimit(text: string): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) continue;
    const value = Number(found.replaceAll(",", ""));
    if (value >= smallest && value <= largest) return value;
  }
  return undefined;
}
