import {
  type Command,
  forEachChild,
  type Function as FunctionNode,
  type Pipeline,
  type Redirection,
  type Script,
  type SyntaxNode,
  type Word,
} from "unbash";
import { basename, resolve } from "node:path";
import { type Argument, readArgument, readWord } from "./argument.ts";
import { checkAssignment, checkRedefinition } from "./assignments.ts";
import { guessArgvs, guessWord } from "./guesses.ts";
import { inputText, knownOutput } from "./known-output.ts";
import { recordAssignment, recordLoop, wordFields } from "./known-values.ts";
import { judgeProgram } from "./program.ts";
import { checkSecretRead } from "./secret-reads.ts";
import type { Scope, Surroundings } from "./scope.ts";
import { recordVariables } from "./variables.ts";
import { checkWrite } from "./targets.ts";

/** What surrounds a node while the tree is walked. */
interface Walk extends Surroundings {
  /** the text that node positions refer to */
  source: string;
  /** calls made inside each function, to find the ones that call themselves */
  calls: Map<string, Set<string>>;
  /** the function whose body is walked */
  inside: string | undefined;
  /** this part may be skipped when the command runs */
  isConditional: boolean;
}

/** Judges every command of a parsed script, wherever it stands. */
export function walkScript(script: Script, source: string, scope: Scope): void {
  const calls = new Map<string, Set<string>>();
  const walk: Walk = {
    source,
    calls,
    inside: undefined,
    isConditional: false,
    pipedFrom: undefined,
    input: undefined,
    background: false,
    redirects: [],
    wrapped: 0,
  };
  visit(script, walk, scope);
  const looping = [...calls.keys()].find((name) => reaches(name, name, calls, new Set()));
  if (looping === undefined) return;
  scope.findings.ask("fork bomb", `the function ${looping} calls itself`);
  const isBomb = /\|[^|]|&(?![&>\d])/.test(source.replace(/&&|\|\|/g, ""));
  if (isBomb) scope.findings.refuse("fork bomb", "a function that starts itself without end");
}

function visit(node: SyntaxNode, walk: Walk, scope: Scope): void {
  switch (node.type) {
    case "Script":
      visitScript(node, walk, scope);
      break;
    case "Statement":
      visitChildren(node, { ...walk, background: walk.background || node.background === true }, scope);
      break;
    case "Command":
      visitCommand(node, walk, scope);
      break;
    case "Pipeline":
      visitPipeline(node, walk, scope);
      break;
    case "Function":
      visitFunction(node, walk, scope);
      break;
    case "Redirected":
      checkRedirects(node.redirects, scope);
      visitChildren(
        node,
        {
          ...walk,
          pipedFrom: feeds(node.redirects) ? (walk.pipedFrom ?? sourceOf(node, walk)) : walk.pipedFrom,
          input: inputText(node.redirects, fieldsIn(scope)) ?? walk.input,
        },
        scope,
      );
      break;
    case "Coproc":
      visitChildren(node, { ...walk, pipedFrom: "", input: undefined }, scope);
      break;
    case "Subshell":
      inOwnShell(scope, () => visitChildren(node, walk, scope));
      break;
    case "If":
    case "While":
    case "Case":
    case "AndOr":
      visitChildren(node, { ...walk, isConditional: true }, scope);
      break;
    default:
      visitLeaf(node, walk, scope);
  }
}

function visitLeaf(node: SyntaxNode, walk: Walk, scope: Scope): void {
  checkUnreadable(node, walk, scope);
  if (node.type === "Assignment") checkAssignment(node.name, scope);
  if ((node.type === "For" || node.type === "Select") && node.name.parts === undefined)
    checkAssignment(node.name.value, scope);
  if (node.type === "For" || node.type === "Select") recordLoop(node, scope);
  visitChildren(node, walk, scope);
}

const visitChildren = (node: SyntaxNode, walk: Walk, scope: Scope): void =>
  forEachChild(node, (child) => visit(child, walk, scope));

function visitScript(node: Extract<SyntaxNode, { type: "Script" }>, walk: Walk, scope: Scope): void {
  const errors = node.errors ?? [];
  if (errors.length > 0)
    scope.findings.ask("unparsed command", `cannot be read as a command line: ${errors[0]?.message ?? ""}`);
  const inner: Walk = {
    ...walk,
    source: node.source ?? walk.source,
    pipedFrom: undefined,
    input: undefined,
    redirects: [],
  };
  inOwnShell(scope, () => visitChildren(node, inner, scope), walk.source === inner.source && node.pos === 0);
}

/** What a shell of its own changes ends with it: the directory and the variables. */
function inOwnShell(scope: Scope, run: () => void, isOutermost = false): void {
  const { place, variables } = scope;
  if (!isOutermost) scope.variables = new Map(variables);
  run();
  if (!isOutermost) Object.assign(scope, { place, variables });
}

function visitPipeline(node: Pipeline, walk: Walk, scope: Scope): void {
  let { pipedFrom, input } = walk;
  for (const command of node.commands) {
    inOwnShell(scope, () => visit(command, { ...walk, pipedFrom, input }, scope));
    input = command.type === "Command" ? knownOutput(command, input, fieldsIn(scope)) : undefined;
    pipedFrom = `${pipedFrom ?? ""} ${sourceOf(command, walk)}`;
  }
}

function visitFunction(node: FunctionNode, walk: Walk, scope: Scope): void {
  const name = node.name.value;
  checkRedefinition(name, scope);
  if (!walk.calls.has(name)) walk.calls.set(name, new Set());
  visit(node.body, { ...walk, inside: name }, scope);
}

function visitCommand(node: Command, walk: Walk, scope: Scope): void {
  checkRedirects(node.redirects, scope);
  for (const part of node.prefix) if (part.type === "Assignment") checkAssignment(part.name, scope);
  visitChildren(node, walk, scope);
  for (const part of node.prefix) if (part.type === "Assignment") recordAssignment(part, walk.isConditional, scope);
  if (node.name === undefined) return;
  const words = [node.name, ...node.args];
  const argv: Argument[] = words.map((argument) => readArgument(argument, scope.place));
  const name = argv[0]?.value;
  if (name !== undefined && walk.inside !== undefined) walk.calls.get(walk.inside)?.add(name);
  const around: Surroundings = {
    pipedFrom: walk.pipedFrom,
    input: inputText(node.redirects, fieldsIn(scope)) ?? walk.input,
    background: walk.background,
    redirects: node.redirects,
    wrapped: 0,
  };
  const guesses = guessArgvs(words, scope).filter((guess) =>
    guess.some((word, index) => word.value !== argv[index]?.value),
  );
  for (const candidate of [argv, ...guesses]) judgeProgram(candidate, scope, around);
  recordVariables(
    { argv: guesses.at(-1) ?? argv, node, isConditional: walk.isConditional, input: around.input },
    scope,
  );
  changeDirectory(guesses.at(-1) ?? argv, scope);
}

function changeDirectory(argv: Argument[], scope: Scope): void {
  const name = basename(argv[0]?.value ?? "");
  if (name !== "cd" && name !== "pushd") return;
  const target = argv.slice(1).find((argument) => argument.value === undefined || !/^-./.test(argument.value));
  if (target === undefined) scope.place = { ...scope.place, cwd: scope.place.userHome };
  else if (target.value !== undefined && target.value !== "-") {
    scope.place = { ...scope.place, cwd: resolve(scope.place.cwd, target.value) };
  }
}

function checkRedirects(redirects: readonly Redirection[], scope: Scope): void {
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect" || redirect.target === undefined) continue;
    const target = readWord(redirect.target, scope.place);
    if (redirect.operator === "<" || redirect.operator === "<&") {
      checkInput(target, scope);
      checkSecretRead(target, scope);
    } else if (redirect.operator === ">&" && /^(?:\d+-?|-)$/.test(target.value ?? "")) continue;
    else if (isProcessSubstitution(target)) continue;
    else {
      for (const candidate of [target, ...guessWord(redirect.target, scope).filter(({ value }) => value !== undefined)])
        checkWrite(candidate, "overwrite system file via redirection", scope);
    }
  }
}

const isProcessSubstitution = (target: Argument): boolean => /^[<>]\(/.test(target.text);

function checkInput(target: Argument, scope: Scope): void {
  if (target.value !== undefined && /^\/dev\/(?:tcp|udp)\//.test(resolve("/", target.value))) {
    scope.findings.ask("network connection by redirection", `opens a connection: ${target.text}`);
  }
}

const fieldsIn =
  (scope: Scope) =>
  (word: Word): Argument[] =>
    wordFields(word, 0, scope);

const feeds = (redirects: readonly Redirection[]): boolean =>
  redirects.some((redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"));

const sourceOf = (node: { pos: number; end: number }, walk: Walk): string => walk.source.slice(node.pos, node.end);

/** Parts that the parser gives no inside of, or is known to read otherwise than bash. */
function checkUnreadable(node: SyntaxNode, walk: Walk, scope: Scope): void {
  const { findings } = scope;
  if (node.type === "ProcessSubstitution") {
    const before = walk.source.charAt(node.pos - 1);
    const after = walk.source.charAt(node.end);
    if (/[^\s;&|()]/.test(before) || /[^\s;&|()<>]/.test(after)) {
      findings.ask("unparsed command", "a process substitution touches other text");
    }
  }
  if (node.type === "AnsiCQuoted" && node.text.includes("\\\n"))
    findings.ask("unparsed command", "a line continuation inside $'…'");
  const isOpaque =
    (node.type === "CommandExpansion" ||
      node.type === "ProcessSubstitution" ||
      node.type === "ArithmeticCommandExpansion") &&
    node.script === undefined;
  if (isOpaque) findings.ask("unparsed command", "a substitution that cannot be read");
  if (node.type === "ArithmeticExpansion" && node.expression === undefined && /[$`]/.test(node.text.slice(2))) {
    findings.ask("unparsed command", "an arithmetic expression that cannot be read");
  }
  if (node.type === "ArithmeticCommand" && node.expression === undefined && /[$`]/.test(node.body)) {
    findings.ask("unparsed command", "an arithmetic expression that cannot be read");
  }
  if (node.type === "Transform" && /^[PEA]/.test(node.operand.text))
    findings.ask("code known only when it runs", "expands a variable as code");
}

function reaches(from: string, target: string, calls: Map<string, Set<string>>, seen: Set<string>): boolean {
  for (const next of calls.get(from) ?? []) {
    if (next === target) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, target, calls, seen)) return true;
  }
  return false;
}
