import { absolutePath, hermesHomes } from "../path-classes.ts";
import type { Argument } from "./argument.ts";
import { isCriticalTarget, isSystemTarget } from "./hardline.ts";
import { checkLinks } from "./link-rules.ts";
import { hasShort, isLong, operands, optionValue, optionWords } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { checkFilled, checkWrite, type WriteKind } from "./targets.ts";

const kind: WriteKind = "copy/move file into /etc/";

/** What a copy reads, and where it goes. */
function parts(argv: Argument[]): { sources: Argument[]; target: Argument | undefined } {
  const given = optionValue(argv, "t", "target-directory");
  const words = operands(argv);
  if (given !== undefined) return { sources: words.filter((word) => word !== given), target: given };
  return { sources: words.slice(0, -1), target: words.length > 1 ? words.at(-1) : undefined };
}

const copy: Rule = (argv, scope) => {
  const { sources, target } = parts(argv);
  if (target === undefined) return;
  checkWrite(target, kind, scope);
  const replaces = optionWords(argv).some((word) => hasShort(word, "T") || isLong(word, "no-target-directory"));
  if (replaces || sources.some(isContents)) checkFilled(target, scope);
  if (target.value !== undefined && !target.glob) checkCopied(target.value, sources, scope);
};

/** `x/.`, `x/*`: all that is in a directory, under its own names */
const isContents = (source: Argument): boolean => source.glob || source.value?.endsWith("/.") === true;

/** a file copied into a directory lands there under its own name */
function checkCopied(directory: string, sources: Argument[], scope: Scope): void {
  for (const source of sources) {
    const name = source.value?.replace(/\/+$/, "").split("/").at(-1);
    if (name === undefined || name === "" || name === "." || source.glob) continue;
    const isDirectory =
      sources.length > 1 ||
      /(?:^|\/)\.{0,2}$/.test(directory) ||
      directory === scope.place.userHome ||
      directory === scope.place.home;
    if (isDirectory) checkWrite({ ...source, value: `${directory}/${name}` }, kind, scope);
  }
}

const move: Rule = (argv, scope, around) => {
  const { findings, place } = scope;
  for (const source of parts(argv).sources) {
    const path = source.value === undefined ? "" : absolutePath(source.value, place);
    if (isSystemTarget(source, place)) findings.refuse("move of a system directory", `moves ${source.text} away`);
    else if (isCriticalTarget(source, place) || hermesHomes(place).includes(path))
      findings.ask("move of a system or home directory", `moves ${source.text}`);
    if (source.value !== undefined && !source.glob) checkWrite(source, kind, scope);
  }
  copy(argv, scope, around);
};

/** `cp -l`, `cp -s`: a link in place of a copy */
const makesLinks = /^(?:-[a-zA-Z]*[ls][a-zA-Z]*|--link|--symbolic-link)$/;

const copyOrLink: Rule = (argv, scope, around) => {
  if (argv.some(({ value }) => makesLinks.test(value ?? ""))) checkLinks(argv, scope);
  copy(argv, scope, around);
};

const link: Rule = (argv, scope, around) => {
  checkLinks(argv, scope);
  copy(argv, scope, around);
  const { target } = parts(argv);
  const replaces = optionWords(argv).some((word) => hasShort(word, "nT") || isLong(word, "no-dereference"));
  if (replaces && target !== undefined) checkFilled(target, scope);
};

const rsync: Rule = (argv, scope) => {
  const { findings, place } = scope;
  if (optionValue(argv, "e", "rsh") !== undefined || argv.some((word) => isLong(word, "rsync-path")))
    findings.ask("copy option that runs a program", "rsync runs a program given as an option");
  const words = operands(argv);
  const target = words.at(-1);
  if (target === undefined) return;
  const options = optionWords(argv);
  if (options.some((word) => hasShort(word, "n") || word.value === "--dry-run")) return;
  checkWrite(target, kind, scope);
  // host:path is on another machine
  if (/^[^/]*:/.test(target.value ?? "")) return;
  if (words.slice(0, -1).some((source) => source.glob || /\/\.?$/.test(source.value ?? ""))) checkFilled(target, scope);
  if (!options.some((word) => /^--(?:del|remove-source)/.test(word.value ?? ""))) return;
  findings.ask("recursive delete", "removes files that the source does not have");
  if (isCriticalTarget(target, place))
    findings.refuse("recursive delete of a system or home directory", `removes what is in ${target.text}`);
};

const remoteCopy: Rule = (argv, scope) => {
  const target = operands(argv).at(-1);
  if (target !== undefined) checkWrite(target, kind, scope);
};

export const copyRules: Record<string, Rule> = {
  cp: copyOrLink,
  install: copy,
  ln: link,
  mv: move,
  rsync,
  scp: remoteCopy,
};
