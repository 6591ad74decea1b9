import { z } from "zod";

/** A whole number that is brought into its range; what is no number means the default. */
export function clampedInteger(range: { min: number; max: number; default: number }, description: string) {
  const clamp = (value: unknown): number => {
    const number = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
    if (Number.isNaN(number) || value === "") return range.default;
    return Math.min(range.max, Math.max(range.min, Math.trunc(number)));
  };
  return z.preprocess(clamp, z.int().min(range.min).max(range.max)).default(range.default).describe(description);
}
