import type { Argument } from "./argument.ts";
import { hasShort, isLong, optionValue, optionWords, unwrap } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope, Surroundings } from "./scope.ts";

const globalOptions = {
  short: "Cc",
  long: ["git-dir", "work-tree", "namespace", "exec-path", "config-env", "super-prefix", "attr-source"],
};
/** settings that make git run a program */
const runningSetting =
  /^(?:alias\..*|.*(?:pager|editor|command|hookspath|helper|fsmonitor|textconv|external|program|driver|clean|smudge)(?:\..*)?)(?:=|$)/i;

/** Commands of git that lose work, rewrite what others have, or run a program given as a setting. */
export const git: Rule = (argv, scope, around) => {
  const { options, rest } = unwrap(argv, globalOptions);
  const { findings } = scope;
  if (options.some((option) => runningSetting.test(option.value?.replace(/^-c/, "") ?? "alias."))) {
    findings.ask("git setting that runs a program", "sets what git runs");
  }
  const [command, ...words] = rest;
  if (command === undefined) return;
  if (command.value === undefined) findings.ask("unknown options", `runs git ${command.text}, known only when it runs`);
  else commands[command.value.toLowerCase()]?.(words, scope, around);
};

const asks =
  (key: string, description: string, test: (words: Argument[]) => boolean) => (words: Argument[], scope: Scope) => {
    const hidden = words.find((word) => word.value === undefined);
    if (test(words)) scope.findings.ask(key, description);
    else if (hidden !== undefined)
      scope.findings.ask("unknown options", `what ${hidden.text} is, is known only when it runs`);
  };

const some = (words: Argument[], test: (word: Argument) => boolean): boolean => optionWords(words).some(test);
const isForce = (word: Argument): boolean =>
  isLong(word, "force") || word.value?.startsWith("--force") === true || shortLetters(word).includes("f");
const shortLetters = (word: Argument): string =>
  /^-[a-zA-Z]/.test(word.value ?? "") ? (word.value ?? "").slice(1) : "";

const hasPack = (words: Argument[]): boolean =>
  some(words, (word) => /^--(?:upload|receive)-pack/.test(word.value ?? "")) ||
  words.some((word) => word.value?.startsWith("ext::") === true);

function runs(code: Argument | undefined, scope: Scope, around: Surroundings): void {
  if (code === undefined) return;
  if (code.value === undefined) scope.judgeArgv([code], scope, around);
  else scope.judgeCode(code.value, scope);
}

const commands: Record<string, (words: Argument[], scope: Scope, around: Surroundings) => void> = {
  reset: asks("git reset --hard", "throws away changes that are not committed", (words) =>
    some(words, (word) => isLong(word, "hard")),
  ),
  push: (words, scope) => {
    const isShort = some(words, (word) => shortLetters(word).includes("f"));
    asks(
      isShort ? "git force push (short flag)" : "git force push",
      "replaces or removes what others have fetched",
      () => isForcedPush(words),
    )(words, scope);
  },
  clean: asks("git clean with force", "removes files that are not committed", (words) => some(words, isForce)),
  branch: asks("git branch force delete", "removes a branch whose commits may be nowhere else", (words) => {
    const isDelete = some(words, (word) => isLong(word, "delete") || shortLetters(word).includes("d"));
    return some(words, (word) => shortLetters(word).includes("D")) || (isDelete && some(words, isForce));
  }),
  checkout: asks("git checkout with force", "throws away changes that are not committed", (words) =>
    some(words, isForce),
  ),
  stash: asks("git stash removal", "throws away stashed work", (words) =>
    /^(?:drop|clear)$/.test(words[0]?.value ?? ""),
  ),
  reflog: asks("git history removal", "removes what could bring lost commits back", (words) =>
    /^(?:expire|delete)$/.test(words[0]?.value ?? ""),
  ),
  "filter-branch": asks("git history removal", "rewrites the history", () => true),
  grep: asks("git option that runs a program", "opens what it finds with a program", (words) =>
    some(words, (word) => /^(?:-[a-zA-Z]*O.+|--open-files-in-pager=.+)$/.test(word.value ?? "")),
  ),
  rebase: (words, scope, around) => runs(optionValue(words, "x", "exec"), scope, around),
  difftool: (words, scope, around) => runs(optionValue(words, "x", "extcmd"), scope, around),
  bisect: (words, scope, around) => {
    if (words[0]?.value === "run") scope.judgeArgv(words.slice(1), scope, around);
  },
  submodule: (words, scope, around) => {
    const start = words.findIndex((word) => word.value === "foreach");
    const code = words.slice(start + 1).filter((word) => word.value !== "--recursive");
    if (start >= 0 && code.length === 1) runs(code[0], scope, around);
    else if (start >= 0) scope.judgeArgv(code, scope, around);
  },
  clone: asks("git option that runs a program", "sets what git runs", hasPack),
  fetch: asks("git option that runs a program", "sets what git runs", hasPack),
  pull: asks("git option that runs a program", "sets what git runs", hasPack),
  "ls-remote": asks("git option that runs a program", "sets what git runs", hasPack),
  config: asks("git setting that runs a program", "sets what git runs", (words) =>
    words.some((word) => runningSetting.test(word.value ?? "") || word.value?.startsWith("!") === true),
  ),
};

function isForcedPush(words: Argument[]): boolean {
  const isForced = some(
    words,
    (word) => isForce(word) || isLong(word, "mirror") || isLong(word, "delete") || isLong(word, "prune"),
  );
  const isShortDelete = some(words, (word) => !(word.value ?? "").startsWith("--") && hasShort(word, "d"));
  return isForced || isShortDelete || words.some((word) => word.value !== undefined && /^[+:]./.test(word.value));
}
