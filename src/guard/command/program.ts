import { basename, resolve } from "node:path";
import { type Argument, literal } from "./argument.ts";
import { checkAssignment, checkRedefinition } from "./assignments.ts";
import { codeRules, judgeText } from "./code-rules.ts";
import { fileRules } from "./file-rules.ts";
import { git } from "./git-rules.ts";
import type { Rule } from "./rule.ts";
import { maximumWrappers, type Scope, type Surroundings, takeStep } from "./scope.ts";
import { checkSecretRead } from "./secret-reads.ts";
import { judgeInterpreter, judgeSource } from "./shells.ts";
import { machineRules } from "./machine-rules.ts";
import { systemRules } from "./system-rules.ts";
import { judgeTail } from "./tail.ts";
import { judgeWrapper } from "./wrappers.ts";

const declare: Rule = (argv, scope) => {
  for (const { value } of argv) {
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(value ?? "")?.[1];
    if (name !== undefined && value?.includes("=") === true) checkAssignment(name, scope);
  }
};

/** `read PATH`, `printf -v PATH`, `unset PATH`: names of variables as plain words */
const named: Rule = (argv, scope) => {
  for (const { value } of argv)
    if (value !== undefined && /^[A-Z_][A-Z0-9_]*$/.test(value)) checkAssignment(value, scope);
};

const alias: Rule = (argv, scope) => {
  for (const word of argv) {
    const separator = word.value?.indexOf("=") ?? -1;
    if (word.value === undefined) scope.findings.ask("code known only when it runs", `makes ${word.text} an alias`);
    else if (separator > 0) {
      checkRedefinition(word.value.slice(0, separator), scope);
      judgeText(literal(word.value.slice(separator + 1)), scope);
    }
  }
};

const rules = new Map<string, Rule>(
  Object.entries({
    ...fileRules,
    ...systemRules,
    ...machineRules,
    ...codeRules,
    git,
    alias,
    export: declare,
    declare,
    typeset: declare,
    local: declare,
    readonly: declare,
    read: named,
    printf: (argv, scope, around) =>
      argv[0]?.value?.startsWith("-v") === true ? named(argv.slice(0, 2), scope, around) : undefined,
    unset: named,
    getopts: named,
    source: judgeSource,
    ".": judgeSource,
  } satisfies Record<string, Rule>),
);

/** Judges one command by its words: the program, what it wraps, and its arguments. */
export function judgeProgram(argv: Argument[], scope: Scope, around: Surroundings): void {
  const [program, ...rest] = argv;
  if (program === undefined || !takeStep(scope)) return;
  if (program.value === undefined || program.glob) {
    scope.findings.ask("command word is an expansion", `which program ${program.text} is, is known only when it runs`);
    return;
  }
  checkQuotedDelete(rest, scope);
  for (const word of rest) checkSecretRead(word, scope);
  if (scope.madeExecutable.has(resolve(scope.place.cwd, program.value))) {
    scope.findings.ask("chmod +x followed by immediate execution", `makes ${program.text} executable and runs it`);
  }
  const name = (basename(program.value) || program.value).toLowerCase();
  const inner = { ...around, wrapped: around.wrapped + 1 };
  if (inner.wrapped > maximumWrappers) {
    scope.findings.ask("nested too deep", "commands inside commands, too deep to be judged");
    return;
  }
  if (judgeWrapper(name, rest, scope, inner) || judgeInterpreter(name, rest, scope, around)) return;
  const rule = rules.get(name) ?? (name.startsWith("mkfs.") ? rules.get("mkfs") : undefined);
  if (rule === undefined) judgeTail(name, rest, scope, inner);
  else rule(rest, scope, inner);
}

/** a recursive delete inside quoted text may be run by whatever gets the text */
function checkQuotedDelete(argv: Argument[], scope: Scope): void {
  if (argv.some((word) => word.value !== undefined && hasRecursiveDelete(word.value))) {
    scope.findings.ask("recursive delete", "the text holds a recursive delete");
  }
}

export function hasRecursiveDelete(text: string): boolean {
  return /(?<![\w-])(?<!git )rm[ \t]+(?:-[\w-]+[ \t]+){0,5}(?:-[a-qs-zA-Z]*[rR]|--recursive)/.test(text);
}
