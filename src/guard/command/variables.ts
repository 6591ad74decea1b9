import type { Command } from "unbash";
import { basename } from "node:path";
import type { Argument } from "./argument.ts";
import { printed } from "./known-output.ts";
import { recordAssignment, recordValue } from "./known-values.ts";
import type { Scope } from "./scope.ts";

const declaring = /^(?:export|declare|typeset|local|readonly)$/;

interface Setter {
  argv: Argument[];
  node: Command;
  isConditional: boolean;
  input: string | undefined;
}

/** Remembers what a command that sets variables gives them. */
export function recordVariables({ argv, node, isConditional, input }: Setter, scope: Scope): void {
  const name = basename(argv[0]?.value ?? "");
  if (declaring.test(name)) {
    for (const argument of node.args)
      if (argument.type === "Assignment") recordAssignment(argument, isConditional, scope);
  } else if (name === "set") recordPositions(argv.slice(1), scope);
  else if (name === "printf" && argv[1]?.value === "-v") {
    const text = printed(argv.slice(3));
    recordValue(argv[2]?.value ?? "", { alternatives: text === undefined ? [] : [text] }, scope);
  } else if (name === "read" || name === "unset") {
    const lines = name === "read" ? (input ?? "").split("\n").filter((line) => line !== "") : [];
    for (const { value } of argv.slice(1))
      if (value !== undefined && /^[A-Za-z_]\w*$/.test(value)) recordValue(value, { alternatives: lines }, scope);
  }
}

function recordPositions(argv: Argument[], scope: Scope): void {
  const start =
    argv.findIndex(({ value }) => value === "--") + 1 || argv.findIndex(({ value }) => !/^[-+]/.test(value ?? ""));
  if (start < 0 || start >= argv.length) return;
  recordValue("@", { alternatives: [], elements: argv.slice(start).map(({ value }) => value ?? "") }, scope);
}
