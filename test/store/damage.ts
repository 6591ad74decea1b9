import { readFileSync, writeFileSync } from "node:fs";

const PAGE_BYTES = 4096;
/** a leaf page of a table without free blocks */
const LEAF_START = Buffer.from("0d0000", "hex");

/** Writes zeros over the first leaf page that holds the text. */
export function damagePage(path: string, text: string): void {
  const bytes = readFileSync(path);
  const pages = Array.from({ length: bytes.length / PAGE_BYTES }, (_, index) => index * PAGE_BYTES);
  const page = pages.find((start) => {
    const content = bytes.subarray(start, start + PAGE_BYTES);
    return content.subarray(0, 3).equals(LEAF_START) && content.includes(text);
  });
  if (page === undefined) throw new Error(`no page holds "${text}"`);
  bytes.fill(0, page, page + PAGE_BYTES);
  writeFileSync(path, bytes);
}
