import type { HereDoc, Redirection } from "unbash";
import { type Argument, readWord } from "./argument.ts";
import { hasShort, isLong } from "./options.ts";
import type { Scope, Surroundings } from "./scope.ts";
import { judgeText } from "./code-rules.ts";

const shells = new Set("sh bash zsh ksh mksh dash ash rbash fish csh tcsh elvish nu xonsh yash oksh posh".split(" "));

/** a program that runs code given as an option: a pattern for the word that announces it */
const interpreters: { name: RegExp; code: RegExp; takesValue: RegExp }[] = [
  { name: /^(?:python|pypy|jython|ipython)[\d.]*(?:\.exe)?$/, code: /^-[A-BD-Zabd-hj-ln-z]*c/, takesValue: /^-[WX]$/ },
  { name: /^perl[\d.]*$/, code: /^-(?![IMm])[a-zA-Z0-9]*[eE]/, takesValue: /^-[I]$/ },
  { name: /^(?:ruby|jruby|irb)[\d.]*$/, code: /^-(?![Ir])[a-zA-Z0-9]*e/, takesValue: /^-[Ir]$/ },
  {
    name: /^(?:node|nodejs|bun|tsx|ts-node|deno)[\d.]*$/,
    code: /^(?:-(?!r$)[a-z]*[ep][a-z]*|--(?:eval|print|exec)(?:=.*)?|eval|repl)$/,
    takesValue: /^(?:-r|--require|--import|--loader)$/,
  },
  {
    name: /^(?:php|lua|luajit|Rscript|r|osascript|tclsh|expect|groovy|scala|ghc|julia|elixir|erl|swift|guile|racket|sbcl|emacs)[\d.]*$/i,
    code: /^(?:-[a-zA-Z]*[erREB]|--(?:eval|expr|run|execute|eval-string)(?:=.*)?|-c|--batch|-eval)$/,
    takesValue: /^-[dl]$/,
  },
  {
    name: /^(?:pwsh|powershell)(?:\.exe)?$/i,
    code: /^[-/](?:c.*|e.*)$/i,
    takesValue: /^-(?:ExecutionPolicy|WorkingDirectory)$/i,
  },
];

/** Judges a shell or an interpreter; false when the program is none. */
export function judgeInterpreter(name: string, argv: Argument[], scope: Scope, around: Surroundings): boolean {
  if (shells.has(name)) {
    judgeShell(argv, scope, around);
    return true;
  }
  if (/^(?:[gmn]?awk)$/.test(name)) {
    judgeAwk(argv, scope);
    return true;
  }
  const interpreter = interpreters.find((candidate) => candidate.name.test(name));
  if (interpreter === undefined) return false;
  for (let index = 0; index < argv.length; index += 1) {
    const value = argv[index]?.value;
    if (value === undefined) {
      scope.findings.ask("unknown options", "what the interpreter runs is known only when it runs");
      return true;
    }
    if (interpreter.code.test(value)) {
      scope.findings.ask("script execution via -e/-c flag", "runs code given on the command line");
      return true;
    }
    if (value === "-m" || (!value.startsWith("-") && value !== "")) return true;
    if (value === "-") break;
    if (interpreter.takesValue.test(value)) index += 1;
  }
  if (readsInput(around)) scope.findings.ask("script execution via heredoc", "runs code that comes from its input");
  return true;
}

function judgeShell(argv: Argument[], scope: Scope, around: Surroundings): void {
  const { findings } = scope;
  let index = 0;
  for (; index < argv.length; index += 1) {
    const word = argv[index];
    const value = word?.value;
    if (word === undefined || value === undefined) {
      const isScript = word !== undefined && /^[<>]\(/.test(word.text);
      if (isScript)
        findings.ask("execute remote script via process substitution", "a shell runs what another command prints");
      else findings.ask("unknown options", "what the shell runs is known only when it runs");
      return;
    }
    if (/^[-+]/.test(value) && (hasShort(word, "c") || isLong(word, "command"))) {
      findings.ask("shell command via -c/-lc flag", "a shell runs a text");
      judgeCommandText(argv.slice(index + 1), scope);
      return;
    }
    if (value === "-s" || value === "-" || value === "--" || hasShort(word, "s")) break;
    if (/^(?:-[oO]|\+[oO]|--rcfile|--init-file)$/.test(value)) index += 1;
    else if (!/^[-+]/.test(value)) break;
  }
  const script = argv[index]?.value;
  const isInput =
    script === undefined || script.startsWith("-") || /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/.test(script);
  if (isInput) judgeInput(scope, around);
}

function judgeCommandText(words: Argument[], scope: Scope): void {
  const code = words.find((word) => word.value === undefined || !/^[-+]/.test(word.value));
  if (code !== undefined) judgeText(code, scope);
}

/** a shell without a script runs its input */
function judgeInput(scope: Scope, around: Surroundings): void {
  const { findings } = scope;
  for (const redirect of around.redirects) judgeInputRedirect(redirect, scope);
  if (around.pipedFrom === undefined) return;
  const isRemote = /\b(?:curl|wget|fetch|aria2c|nc|ncat)\b/i.test(around.pipedFrom);
  findings.ask(isRemote ? "pipe remote content to shell" : "pipe into shell", "a shell runs what is piped into it");
  if (around.input !== undefined) scope.judgeCode(around.input, scope);
}

function judgeInputRedirect(redirect: Redirection, scope: Scope): void {
  const { findings, place } = scope;
  if (redirect.type === "HereDoc") {
    findings.ask("script execution via heredoc", "a shell runs a text");
    const body = hereDocText(redirect);
    if (body !== undefined) scope.judgeCode(body, scope);
  } else if (redirect.type === "HereString") {
    findings.ask("script execution via heredoc", "a shell runs a text");
    if (redirect.target !== undefined) judgeText(readWord(redirect.target, place), scope);
  } else if (redirect.operator.startsWith("<")) {
    const target = redirect.target === undefined ? undefined : readWord(redirect.target, place);
    if (target?.value === undefined) {
      findings.ask("execute remote script via process substitution", "a shell runs what another command prints");
    }
  }
}

/** The body as the shell gets it; undefined when something in it expands. */
function hereDocText(document: HereDoc): string | undefined {
  const { body, delimiter } = document;
  if (delimiter?.quoted === true || body.parts === undefined) return body.text;
  return body.parts.every((part) => part.type === "Literal") ? body.text : undefined;
}

function readsInput(around: Surroundings): boolean {
  const isFed = around.redirects.some((redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"));
  return isFed || around.pipedFrom !== undefined;
}

function judgeAwk(argv: Argument[], { findings }: Scope): void {
  const runs = argv.some(
    (word) =>
      word.value !== undefined && /\bsystem\s*\(|\|\s*(?:getline|&|")|"\s*\||\bprintf?\b[^\n]*>/.test(word.value),
  );
  const isHidden = argv.some((word) => word.value === undefined && !word.text.startsWith('"$'));
  if (runs) findings.ask("script execution via -e/-c flag", "the awk program runs commands or writes files");
  else if (isHidden && argv[0]?.value === undefined)
    findings.ask("unknown options", "the awk program is known only when it runs");
}

/** `source` and `.`: a file is allowed as a script is; what another command prints is not. */
export function judgeSource(argv: Argument[], scope: Scope, around: Surroundings): void {
  const file = argv.find((word) => word.value !== "--");
  if (file === undefined) return;
  if (file.value === undefined) {
    const key = file.text.startsWith("<(")
      ? "execute remote script via process substitution"
      : "code known only when it runs";
    scope.findings.ask(key, `runs ${file.text} in this shell`);
  } else if (/^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(file.value))
    judgeInput(scope, { ...around, pipedFrom: around.pipedFrom ?? "" });
}
