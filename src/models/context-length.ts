// context lengths in tokens by a part of the model's name; the longest matching part wins
const families: Record<string, number> = {
  "claude-opus-4-6": 1_000_000,
  "claude-opus-4.6": 1_000_000,
  "claude-sonnet-4-6": 1_000_000,
  "claude-sonnet-4.6": 1_000_000,
  claude: 200_000,
  "gpt-4.1": 1_047_576,
  "gpt-4o": 128_000,
  "gpt-4": 128_000,
  "gpt-5": 400_000,
  "deepseek-chat": 128_000,
  deepseek: 128_000,
  gemini: 1_048_576,
  llama: 131_072,
  qwen: 131_072,
  minimax: 204_800,
  glm: 202_752,
  kimi: 262_144,
};

/** Used when nothing better is known. */
export const defaultContextTokens = 128_000;

/** The context length of a model's family, undefined for an unknown name. */
export function familyContextTokens(model: string): number | undefined {
  const name = model.toLowerCase();
  const key = Object.keys(families)
    .filter((part) => name.includes(part))
    .sort((left, right) => right.length - left.length)[0];
  return key === undefined ? undefined : families[key];
}
