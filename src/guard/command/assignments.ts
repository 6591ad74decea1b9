import type { Scope } from "./scope.ts";

/** variables that decide what bash, the loader or an interpreter runs, or what hermes allows */
const steering =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|BASH_FUNC.*|BASH_LOADABLES_PATH|HOME|SHELL|LD_.*|DYLD_.*|PYTHONSTARTUP|PYTHONINSPECT|PERL5OPT|PERL5DB|RUBYOPT|NODE_OPTIONS|GIT_.*(?:SSH|COMMAND|PAGER|EDITOR|EXTERNAL_DIFF|ASKPASS|EXEC_PATH|CONFIG).*|EDITOR|VISUAL|PAGER|BROWSER|LESSOPEN|LESSCLOSE|HERMES_.*)$/s;

/** names whose meaning a function or an alias may not change unseen */
const commonCommands = new Set(
  `alias bash builtin cat cd chmod chown command cp curl dd docker echo env eval exec exit export find git grep head kill
   ls make mkdir mv node npm printf pwd python python3 read rm rsync sed set sh source ssh sudo tail tar tee test trap unset
   wget which xargs true false [ :`.split(/\s+/),
);

/** Judges one assignment, wherever it stands. */
export function checkAssignment(name: string, scope: Scope): void {
  if (steering.test(name))
    scope.findings.ask("assignment of a steering variable", `sets ${name}, which changes what later commands do`);
}

/** Judges a function or alias by the name it takes. */
export function checkRedefinition(name: string, scope: Scope): void {
  if (commonCommands.has(name)) scope.findings.ask("change of what commands mean", `gives "${name}" another meaning`);
}
