import { resolve } from "node:path";
import type { Argument } from "./argument.ts";
import { unknownArgument } from "./argument.ts";
import { isCriticalTarget } from "./hardline.ts";
import { hasShort, isLong, isOption, operands, optionValue, optionWords } from "./options.ts";
import { checkLinks } from "./link-rules.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { checkWrite, isDisk, type WriteKind } from "./targets.ts";

const rm: Rule = (argv, scope) => {
  const { findings, place } = scope;
  const options = optionWords(argv);
  const targets = operands(argv);
  const isLongRecursive = options.some((option) => isLong(option, "recursive"));
  const isRecursive = isLongRecursive || options.some((option) => hasShort(option, "rR"));
  if (isRecursive) {
    findings.ask(
      isLongRecursive ? "recursive delete (long flag)" : "recursive delete",
      "removes directories with all they hold",
    );
    const critical = targets.find((target) => isCriticalTarget(target, place));
    if (critical !== undefined)
      findings.refuse("recursive delete of a system or home directory", `removes ${critical.text}`);
  }
  for (const target of targets) {
    if (target.value === undefined)
      findings.ask("delete of an unknown path", `removes ${target.text}, known only when it runs`);
    else if (target.value.startsWith("/")) findings.ask("delete in root path", `removes ${target.text}`);
    else if (!target.glob) checkWrite(target, "overwrite system config", scope);
  }
};

const chmod: Rule = (argv, { findings, place, madeExecutable }) => {
  const words = argv.filter((word) => !isOption(word) || /^-[rwxXst]+$/.test(word.value ?? ""));
  const [mode, ...files] = words;
  if (mode === undefined) return;
  const isLongRecursive = argv.some((word) => isLong(word, "recursive"));
  const isRecursive =
    isLongRecursive || argv.some((word) => word.value !== undefined && /^-[a-zA-Z]*R/.test(word.value));
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

const chown: Rule = (argv, { findings }) => {
  const isLongRecursive = argv.some((word) => isLong(word, "recursive"));
  const isRecursive = isLongRecursive || optionWords(argv).some((word) => hasShort(word, "R"));
  const owner = operands(argv)[0];
  if (!isRecursive || owner === undefined) return;
  const suffix = isLongRecursive ? " (long flag)" : "";
  if (owner.value === undefined || /^(?:root|0)(?:[:.].*)?$/i.test(owner.value)) {
    findings.ask(`recursive chown to root${suffix}`, `gives directories to ${owner.text}`);
  }
};

const dd: Rule = (argv, scope) => {
  for (const word of argv) {
    if (word.value === undefined) scope.findings.ask("disk copy", `copies raw data: ${word.text}`);
    else if (/^(?:if|of)=/.test(word.value)) {
      scope.findings.ask("disk copy", "copies raw data");
      if (word.value.startsWith("of="))
        checkWrite({ ...word, value: word.value.slice(3) }, "overwrite system config", scope);
    }
  }
};

const makeFilesystem: Rule = (argv, { findings }) => {
  findings.ask("format filesystem", "makes a new file system, which erases what is there");
  const target = argv.find(
    (word) => word.value !== undefined && /^\/dev\/./.test(resolve("/", word.value)) && !isOption(word),
  );
  if (target !== undefined) findings.refuse("format filesystem", `formats ${target.text}`);
};

const partition: Rule = (argv, { findings }) => {
  if (argv.length > 0) findings.ask("disk layout", "changes or erases a disk");
  const disks = argv.filter((word) => word.value !== undefined && isDisk(word.value));
  if (disks.length > 0) findings.ask("disk layout", `works on ${disks.map((word) => word.text).join(" ")}`);
};

const writesOperands =
  (kind: WriteKind): Rule =>
  (argv, scope) => {
    for (const target of operands(argv)) checkWrite(target, kind, scope);
  };

const copy =
  (isMove: boolean): Rule =>
  (argv, scope) => {
    const kind: WriteKind = "copy/move file into /etc/";
    const given = optionValue(argv, "t", "target-directory");
    const words = operands(argv);
    const target = given ?? (words.length > 1 ? words.at(-1) : undefined);
    if (target !== undefined) checkWrite(target, kind, scope);
    const sources = given === undefined ? words.slice(0, -1) : words;
    if (target?.value !== undefined && !target.glob) checkCopied(target.value, sources, scope);
    if (isMove)
      for (const source of sources) if (source.value !== undefined && !source.glob) checkWrite(source, kind, scope);
  };

/** a file copied into a directory lands there under its own name */
function checkCopied(directory: string, sources: Argument[], scope: Scope): void {
  for (const source of sources) {
    const name = source.value?.replace(/\/+$/, "").split("/").at(-1);
    if (name === undefined || name === "" || source.glob) continue;
    const isDirectory =
      sources.length > 1 ||
      /(?:^|\/)\.{0,2}$/.test(directory) ||
      directory === scope.place.userHome ||
      directory === scope.place.home;
    if (isDirectory) checkWrite({ ...source, value: `${directory}/${name}` }, "copy/move file into /etc/", scope);
  }
}

/** `s/a/b/e`, `1e date`, `s/a/b/w file`: sed runs what they say, or writes another file */
const runningSed =
  /(?:^|[\n;{}])\s*(?:[\d$,~+]+\s*(?:e|w\s)|[ew](?=\s|$)|[\d$,~+!]*s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiIm0-9]*(?:e|w\s))/;
const longestSedScript = 2000;

const sed: Rule = (argv, scope) => {
  const isInPlace = optionWords(argv).some(
    (word) => isLong(word, "in-place") || /^-[nErsuz]*i/i.test(word.value ?? ""),
  );
  const scripts = operands(argv);
  const texts = argv.map((word) => word.value ?? "");
  if (texts.some((text) => text.length > longestSedScript || runningSed.test(text))) {
    scope.findings.ask(
      "script execution via -e/-c flag",
      "the sed script runs commands or writes files, or is too long to be read",
    );
  }
  if (!isInPlace) return;
  const files = scripts.filter((word, index) => index > 0 || optionValue(argv, "e", "expression") !== undefined);
  for (const file of files) if (!file.glob) checkWrite(file, "in-place edit of system config", scope);
};

const find: Rule = (argv, scope, around) => {
  const { findings, place } = scope;
  const isCritical = argv.slice(0, firstTest(argv)).some((root) => isCriticalTarget(root, place));
  const isFiltered = argv.some((word) =>
    /^-(?:i?name|i?path|i?wholename|i?regex|newer.*|[acm](?:time|min)|size|user|group|empty|perm|inum|samefile|links)$/.test(
      word.value ?? "",
    ),
  );
  const destroys = (key: string): void => {
    findings.ask(key, "removes what it finds");
    if (isCritical && !isFiltered)
      findings.refuse("recursive delete of a system or home directory", "find removes everything there");
  };
  for (let index = 0; index < argv.length; index += 1) {
    const value = argv[index]?.value;
    if (value === undefined) continue;
    if (value === "-delete") destroys("find -delete");
    const next = argv[index + 1];
    if (next !== undefined && /^-f(?:print0?|printf|ls)$/.test(value))
      checkWrite(next, "overwrite system config", scope);
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(value)) continue;
    const command = foundCommand(argv, index + 1);
    if (/(?:^|\/)(?:rm|unlink|shred)$/.test(command[0]?.value ?? "")) destroys("find -exec rm");
    scope.judgeArgv(command, scope, around);
    index += command.length + 1;
  }
  if (argv.some((word) => word.value === undefined && !/^["']/.test(word.text))) {
    findings.ask("unknown options", "what find does is known only when it runs");
  }
};

/** The words up to `;`, or to `+` behind `{}`; what find puts in is not known. */
function foundCommand(argv: Argument[], start: number): Argument[] {
  const isEnd = (index: number): boolean =>
    argv[index]?.value === ";" || (argv[index]?.value === "+" && argv[index - 1]?.value === "{}");
  let end = start;
  while (end < argv.length && !isEnd(end)) end += 1;
  return argv
    .slice(start, end)
    .map((word) => (word.value?.includes("{}") === true ? unknownArgument(word.text) : word));
}

function firstTest(argv: Argument[]): number {
  const index = argv.findIndex((word) => /^[-(!]/.test(word.value ?? ""));
  return index < 0 ? argv.length : index;
}

const download =
  (short: string, long: string): Rule =>
  (argv, scope) => {
    const target = optionValue(argv, short, long);
    if (target !== undefined && target.value !== "-") checkWrite(target, "overwrite system config", scope);
  };

const remoteCopy: Rule = (argv, scope, around) => {
  if (optionValue(argv, "e", "rsh") !== undefined || argv.some((word) => isLong(word, "rsync-path"))) {
    scope.findings.ask("copy option that runs a program", "rsync runs a program given as an option");
  }
  lastOperand(argv, scope, around);
};

const lastOperand: Rule = (argv, scope) => {
  const target = operands(argv).at(-1);
  if (target !== undefined) checkWrite(target, "copy/move file into /etc/", scope);
};

const shred: Rule = (argv, scope) => {
  scope.findings.ask("shred", "overwrites files so that they cannot be recovered");
  for (const target of operands(argv)) if (!target.glob) checkWrite(target, "overwrite system config", scope);
};

/** `cp -l`, `cp -s`: a link in place of a copy */
const makesLinks = /^(?:-[a-zA-Z]*[ls][a-zA-Z]*|--link|--symbolic-link)$/;

const move: Rule = (argv, scope, around) => {
  const words = operands(argv);
  const sources = optionValue(argv, "t", "target-directory") === undefined ? words.slice(0, -1) : words;
  for (const target of sources) {
    if (isCriticalTarget(target, scope.place)) {
      scope.findings.ask("move of a system or home directory", `moves ${target.text}`);
    }
  }
  copy(true)(argv, scope, around);
};

export const fileRules: Record<string, Rule> = {
  rm,
  unlink: rm,
  rmdir: (argv, scope) => operands(argv).forEach((target) => checkWrite(target, "overwrite system config", scope)),
  chmod,
  chown,
  chgrp: chown,
  dd,
  mkfs: makeFilesystem,
  mke2fs: makeFilesystem,
  mkswap: makeFilesystem,
  wipefs: makeFilesystem,
  fdisk: partition,
  sfdisk: partition,
  sgdisk: partition,
  parted: partition,
  tee: writesOperands("overwrite system file via tee"),
  truncate: writesOperands("overwrite system config"),
  cp: (argv, scope, around) => {
    if (argv.some(({ value }) => makesLinks.test(value ?? ""))) checkLinks(argv, scope);
    copy(false)(argv, scope, around);
  },
  install: copy(false),
  ln: (argv, scope, around) => {
    checkLinks(argv, scope);
    copy(false)(argv, scope, around);
  },
  mv: move,
  rsync: remoteCopy,
  scp: lastOperand,
  sed,
  find,
  shred,
  curl: download("o", "output"),
  wget: download("O", "output-document"),
  sort: download("o", "output"),
};
