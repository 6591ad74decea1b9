import { isRecord, parseJson } from "../base/json.ts";
import type { ToolResultPart } from "../plugin/message.ts";
import type { Move } from "./scripted-model.ts";

/** The two questions that the demo asks. */
export const firstQuestion = "The check of my lemonade stand fails. Find out why, mend it, and prove that it passes.";
export const secondQuestion = "What was wrong with my lemonade stand the other day?";

/** The files of the little project that the first session mends. */
export const projectFiles: Record<string, string> = {
  "sales.csv": "monday,12\ntuesday,9\nwednesday,15\n",
  "total.sh": `#!/usr/bin/env bash
# adds the cups sold
total=0
while IFS=, read -r day cups; do
  total=$((total - cups))
done < sales.csv
echo "$total"
`,
  "check.sh": `#!/usr/bin/env bash
got=$(bash total.sh)
if [ "$got" = 36 ]; then echo "check passed: $got cups"; else echo "check failed: $got cups, expected 36"; exit 1; fi
`,
};

/** Plays both sessions; every answer is made from what the tools really returned. */
export function demoScript(question: string, results: ToolResultPart[]): Move {
  return question === firstQuestion ? mendProject(results) : recallProject(results);
}

function mendProject(results: ToolResultPart[]): Move {
  switch (results.length) {
    case 0:
      return {
        text: "I run the check first, to see the failure myself. ",
        call: { name: "terminal", arguments: { command: "bash check.sh" } },
      };
    case 1:
      return {
        text: "It counts wrong. I look for where the total is made. ",
        call: { name: "search_files", arguments: { pattern: "total=", path: "." } },
      };
    case 2:
      return { text: "total.sh it is. ", call: { name: "read_file", arguments: { path: "total.sh" } } };
    case 3:
      return {
        text: "The loop subtracts where it should add. ",
        call: {
          name: "patch",
          arguments: {
            mode: "replace",
            path: "total.sh",
            old_string: "total=$((total - cups))",
            new_string: "total=$((total + cups))",
          },
        },
      };
    case 4:
      return { text: "Now the check again. ", call: { name: "terminal", arguments: { command: "bash check.sh" } } };
    default:
      return {
        text: `Done. The sign in the loop of total.sh was wrong: it subtracted each day's cups. After the fix: ${outputOf(results.at(-1))}.`,
      };
  }
}

function recallProject(results: ToolResultPart[]): Move {
  if (results.length === 0) {
    return {
      text: "I look in the earlier sessions. ",
      call: { name: "session_search", arguments: { query: "what was wrong with my lemonade stand" } },
    };
  }
  const found = /The sign in the loop[^"\\]*/.exec(results[0]?.text ?? "")?.[0].replaceAll(/>>>|<<</g, "");
  return {
    text:
      found === undefined
        ? "I found nothing about it in the earlier sessions."
        : `From the earlier session: ${found.trim()}`,
  };
}

/** The output of a terminal result, one line. */
export function outputOf(result: ToolResultPart | undefined): string {
  const parsed = parseJson(result?.text ?? "");
  const output = isRecord(parsed) ? parsed["output"] : undefined;
  return typeof output === "string" ? output.trim() : (result?.text ?? "").trim();
}
