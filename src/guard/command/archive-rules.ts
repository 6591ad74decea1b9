import { type Argument, literal } from "./argument.ts";
import { hasShort, isLong, operands, optionValue } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { checkFilled, checkWrite } from "./targets.ts";

const here = literal(".");

/** What is unpacked lands under names that the command does not show. */
function unpack(directory: Argument | undefined, scope: Scope): void {
  const target = directory ?? here;
  if (directory !== undefined) checkWrite(target, "overwrite system config", scope);
  checkFilled(target, scope);
}

const tar: Rule = (argv, scope) => {
  const runs = argv.some(
    (word) =>
      word.value !== undefined && /^--(?:to-c|checkpoint-a|use-c|rsh|info-s|new-v)|^-[a-zA-Z]*[IF]/.test(word.value),
  );
  if (runs) scope.findings.ask("archive option that runs a program", "tar runs a program given as an option");
  const [first] = argv;
  const modes = [first?.value?.startsWith("-") === false ? { ...first, value: `-${first.value}` } : undefined, ...argv];
  const has = (letter: string): boolean => modes.some((word) => word !== undefined && hasShort(word, letter));
  if (has("x") || argv.some((word) => isLong(word, "extract") || isLong(word, "get")))
    unpack(optionValue(argv, "C", "directory"), scope);
  const isMade = has("cru") || argv.some((word) => isLong(word, "create"));
  const file = first?.value?.startsWith("-") === false ? argv[1] : optionValue(argv, "f", "file");
  if (isMade && has("f") && file !== undefined && file.value !== "-")
    checkWrite(file, "overwrite system config", scope);
};

const unzip: Rule = (argv, scope) => {
  if (!argv.some((word) => hasShort(word, "lptvzZ"))) unpack(optionValue(argv, "d", ""), scope);
};

const sevenZip: Rule = (argv, scope) => {
  if (!/^[xe]$/.test(operands(argv)[0]?.value ?? "")) return;
  const into = argv.find((word) => word.value?.startsWith("-o"));
  unpack(into?.value === undefined ? undefined : { ...into, value: into.value.slice(2) }, scope);
};

const cpio: Rule = (argv, scope) => {
  if (argv.some((word) => hasShort(word, "ip") || isLong(word, "extract") || isLong(word, "pass-through")))
    unpack(optionValue(argv, "D", "directory") ?? operands(argv)[0], scope);
};

const patch: Rule = (argv, scope) => {
  const output = optionValue(argv, "o", "output");
  const directory = optionValue(argv, "d", "directory");
  const [file] = operands(argv).filter((word) => word !== output && word !== directory);
  if (output !== undefined) checkWrite(output, "overwrite system config", scope);
  if (file === undefined) unpack(directory, scope);
  else checkWrite(file, "overwrite system config", scope);
};

export const archiveRules: Record<string, Rule> = {
  tar,
  bsdtar: tar,
  gtar: tar,
  unzip,
  "7z": sevenZip,
  "7za": sevenZip,
  unrar: sevenZip,
  cpio,
  patch,
};
