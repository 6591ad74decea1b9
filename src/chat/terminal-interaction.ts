import type { Interface } from "node:readline/promises";
import { stripControls } from "../base/text.ts";
import type { Answer, ApprovalQuestion, Interaction, Question } from "../plugin/interaction.ts";
import type { Output } from "./output.ts";

/** Asks at the terminal. An answer that means nothing is asked again; the end of input denies. */
export function createTerminalInteraction(reader: Interface, output: Output): Interaction {
  const ask = async (prompt: string, signal: AbortSignal): Promise<string | undefined> => {
    try {
      return await reader.question(prompt, { signal });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // the terminal was closed while it was asked
      output.stderr(`${error instanceof Error ? error.message : String(error)}\n`);
      return undefined;
    }
  };
  return {
    async ask(question: Question, signal: AbortSignal): Promise<Answer> {
      switch (question.type) {
        case "approval":
          return await askApproval(question, (prompt) => ask(prompt, signal), output);
        case "clarify": {
          const choices = question.choices
            .map((choice, index) => `  ${index + 1}. ${stripControls(choice)}\n`)
            .join("");
          const text = await ask(`${stripControls(question.question)}\n${choices}> `, signal);
          if (text === undefined) return { type: "unavailable", reason: "the terminal was closed" };
          return { type: "text", text: question.choices[Number(text.trim()) - 1] ?? text };
        }
        case "secret": {
          const text = await ask(`${stripControls(question.prompt)}: `, signal);
          return text === undefined
            ? { type: "unavailable", reason: "the terminal was closed" }
            : { type: "text", text };
        }
      }
    },
  };
}

async function askApproval(
  question: ApprovalQuestion,
  ask: (prompt: string) => Promise<string | undefined>,
  output: Output,
): Promise<Answer> {
  output.stdout(
    `\n! This command needs your approval:\n\n    ${stripControls(question.command).replaceAll("\n", "\n    ")}\n\n`,
  );
  for (const reason of question.reasons) output.stdout(`  - ${stripControls(reason)}\n`);
  const names: Record<string, string> = { once: "[o]nce", session: "for this [s]ession", always: "[a]lways" };
  const offered = [...question.scopes.map((scope) => names[scope]), "[d]eny"].join(", ");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const text = await ask(`Run it? ${offered}: `);
    if (text === undefined) return { type: "unavailable", reason: "the terminal was closed" };
    const letter = text.trim().toLowerCase().charAt(0);
    if (letter === "d" || letter === "n") return { type: "deny" };
    const scope = question.scopes.find((entry) => entry.charAt(0) === (letter === "y" ? "o" : letter));
    if (scope !== undefined) return { type: "approve", scope };
  }
  return { type: "deny", reason: "no clear answer" };
}
