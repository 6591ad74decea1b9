import { isRecord, parseJson } from "../base/json.ts";

/** What a person wants to see of a result: its error, else the end of its output, else its text. */
export function resultText(result: string): string {
  const parsed = parseJson(result);
  if (!isRecord(parsed)) return result;
  if (typeof parsed["error"] === "string" && parsed["error"] !== "") return parsed["error"];
  const output = parsed["output"];
  if (typeof output === "string" && output.trim() !== "") return output.trim().split("\n").at(-1) ?? "";
  if (typeof parsed["exit_code"] === "number") return `exit code ${parsed["exit_code"]}`;
  const count = parsed["total_count"] ?? parsed["count"];
  if (typeof count === "number") return `${count} found`;
  const content = parsed["content"];
  if (typeof content === "string") return `${content.split("\n").length} lines`;
  return parsed["success"] === true ? "done" : result;
}
