import { archiveRules } from "./archive-rules.ts";
import { copyRules } from "./copy-rules.ts";
import { diskRules } from "./disk-rules.ts";
import { find } from "./find-rules.ts";
import { isCriticalTarget, isEverything } from "./hardline.ts";
import { hasShort, isLong, operands, optionWords } from "./options.ts";
import { outputRules } from "./output-rules.ts";
import { permissionRules } from "./permission-rules.ts";
import type { Rule } from "./rule.ts";
import { sed } from "./sed-rules.ts";
import { checkWrite, type WriteKind } from "./targets.ts";

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
    else if (takesAll(target.value)) findings.ask("delete of everything here", `removes ${target.text}`);
  }
};

/** a bare pattern in the working directory, a parent or the home */
const takesAll = (pattern: string): boolean =>
  /^(?:\.{1,2}\/|~\/)*[^/]+$/.test(pattern) && isEverything(pattern.slice(pattern.lastIndexOf("/") + 1));

const writesOperands =
  (kind: WriteKind): Rule =>
  (argv, scope) => {
    for (const target of operands(argv)) checkWrite(target, kind, scope);
  };

export const fileRules: Record<string, Rule> = {
  ...archiveRules,
  ...copyRules,
  ...diskRules,
  ...permissionRules,
  ...outputRules,
  rm,
  unlink: rm,
  rmdir: writesOperands("overwrite system config"),
  tee: writesOperands("overwrite system file via tee"),
  truncate: writesOperands("overwrite system config"),
  sed,
  find,
};
