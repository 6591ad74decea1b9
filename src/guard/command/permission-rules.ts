import { resolve } from "node:path";
import type { Argument } from "./argument.ts";
import { isCriticalTarget, isSystemTarget } from "./hardline.ts";
import { hasShort, isLong, isOption, operands, optionWords } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";

const chmod: Rule = (argv, scope) => {
  const { findings, place, madeExecutable } = scope;
  const words = argv.filter((word) => !isOption(word) || /^-[rwxXst]+$/.test(word.value ?? ""));
  const [mode, ...files] = words;
  if (mode === undefined) return;
  const isLongRecursive = argv.some((word) => isLong(word, "recursive"));
  const isRecursive =
    isLongRecursive || argv.some((word) => word.value !== undefined && /^-[a-zA-Z]*R/.test(word.value));
  if (isRecursive) checkTree(files, "permissions", scope);
  if (mode.value === undefined)
    findings.ask("unknown permissions", `sets the mode ${mode.text}, known only when it runs`);
  else if (opensToOthers(mode.value)) {
    const suffix = isLongRecursive ? " (long flag)" : "";
    const key = `world/other-writable permissions${suffix}`;
    findings.ask(
      isRecursive ? `recursive ${key}` : key,
      `lets others write, or run with the owner's rights: ${mode.text}`,
    );
  }
  for (const file of files) {
    if (file.value !== undefined && /x|[1357]/.test(mode.value ?? "x"))
      madeExecutable.add(resolve(place.cwd, file.value));
  }
};

/** world-writable, set-uid or set-gid */
function opensToOthers(mode: string): boolean {
  if (/^[-+=]?[0-7]+$/.test(mode)) return (Number.parseInt(mode.replace(/^\D/, ""), 8) & 0o6002) !== 0;
  return mode.split(",").some((clause) => {
    const match = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(clause);
    if (match === null) return false;
    const who = match[1] ?? "";
    const grants = (match[2] ?? "").replace(/-[rwxXstugo]*/g, "");
    return grants.includes("s") || (/[oa]/.test(who) && grants.includes("w"));
  });
}

const chown: Rule = (argv, scope) => {
  const isLongRecursive = argv.some((word) => isLong(word, "recursive"));
  const isRecursive = isLongRecursive || optionWords(argv).some((word) => hasShort(word, "R"));
  const [owner, ...files] = operands(argv);
  if (!isRecursive || owner === undefined) return;
  checkTree(files, "owners", scope);
  const suffix = isLongRecursive ? " (long flag)" : "";
  if (owner.value === undefined || /^(?:root|0)(?:[:.].*)?$/i.test(owner.value)) {
    scope.findings.ask(`recursive chown to root${suffix}`, `gives directories to ${owner.text}`);
  }
};

/** `chattr`, `setfacl`: attributes and access lists */
const attributes: Rule = (argv, scope) => {
  const isRecursive = optionWords(argv).some((word) => hasShort(word, "R") || isLong(word, "recursive"));
  if (isRecursive) checkTree(operands(argv), "rights", scope);
};

/** A system whose files all change their rights or owners no longer starts. */
function checkTree(files: Argument[], what: string, { findings, place }: Scope): void {
  for (const file of files) {
    if (isSystemTarget(file, place))
      findings.refuse(`change of all ${what} of a system directory`, `changes everything in ${file.text}`);
    else if (isCriticalTarget(file, place))
      findings.ask(`change of all ${what} of a home`, `changes everything in ${file.text}`);
  }
}

export const permissionRules: Record<string, Rule> = {
  chmod,
  chown,
  chgrp: chown,
  chattr: attributes,
  setfacl: attributes,
};
