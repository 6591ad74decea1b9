import type { Argument } from "./argument.ts";
import { operands, optionValue } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { checkFilled, checkWrite } from "./targets.ts";

const write = (target: Argument | undefined, scope: Scope): void => {
  if (target !== undefined && target.value !== "-") checkWrite(target, "overwrite system config", scope);
};

/** A program that writes the file given after an option. */
const toOption =
  (short: string, long: string): Rule =>
  (argv, scope) =>
    write(optionValue(argv, short, long), scope);

/** `-out file`, `-o=file`: a long option with one dash */
const toWord =
  (option: string): Rule =>
  (argv, scope) => {
    const index = argv.findIndex((word) => word.value === option);
    if (index >= 0) write(argv[index + 1], scope);
  };

/** A program that changes each file it names. */
const toOperands: Rule = (argv, scope) => {
  for (const target of operands(argv)) write(target, scope);
};

/** A program that names its output last, or second. */
const toLast: Rule = (argv, scope) => {
  const words = operands(argv);
  if (words.length > 1) write(words.at(-1), scope);
};

/** What is fetched lands in a directory, under names that the command does not show. */
const intoOption =
  (short: string, long: string): Rule =>
  (argv, scope) => {
    const target = optionValue(argv, short, long);
    write(target, scope);
    if (target !== undefined) checkFilled(target, scope);
  };

const all =
  (...rules: Rule[]): Rule =>
  (argv, scope, around) => {
    for (const rule of rules) rule(argv, scope, around);
  };

const compilers = ["cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "rustc", "as", "objcopy", "strip"];
const changers = [
  "sponge",
  "dos2unix",
  "unix2dos",
  "gzip",
  "gunzip",
  "bzip2",
  "bunzip2",
  "xz",
  "unxz",
  "zstd",
  "mkfifo",
];
const lastWriters = ["ffmpeg", "convert", "magick", "split", "uniq", "xxd", "mknod"];

/** An editor changes the files it names, and runs the commands it is given. */
const editor: Rule = (argv, scope, around) => {
  toOperands(
    argv.filter((word) => !word.value?.startsWith("+")),
    scope,
    around,
  );
  const isScripted = argv.some((word) =>
    /^(?:\+.*[a-zA-Z!].*|-[a-zA-Z]*[cesS].*|--(?:cmd|eval|batch|load).*)$/.test(word.value ?? "-c"),
  );
  if (isScripted || around.pipedFrom !== undefined || around.redirects.some(({ operator }) => operator.startsWith("<")))
    scope.findings.ask("script execution via -e/-c flag", "an editor runs the commands it is given");
};

export const outputRules: Record<string, Rule> = {
  curl: all(toOption("o", "output"), intoOption("", "output-dir")),
  wget: all(toOption("O", "output-document"), toOption("o", "output-file"), intoOption("P", "directory-prefix")),
  aria2c: all(toOption("o", "out"), intoOption("d", "dir")),
  sort: toOption("o", "output"),
  iconv: toOption("o", "output"),
  pandoc: toOption("o", "output"),
  gpg: toOption("o", "output"),
  openssl: toWord("-out"),
  ...Object.fromEntries(compilers.map((name) => [name, toOption("o", "output")])),
  ...Object.fromEntries(changers.map((name) => [name, toOperands])),
  ...Object.fromEntries(lastWriters.map((name) => [name, toLast])),
  ...Object.fromEntries(["vi", "vim", "nvim", "ex", "ed", "emacs", "nano", "view"].map((name) => [name, editor])),
};
