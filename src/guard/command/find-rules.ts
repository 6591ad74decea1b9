import { type Argument, unknownArgument } from "./argument.ts";
import { isCriticalTarget } from "./hardline.ts";
import type { Rule } from "./rule.ts";
import { checkWrite } from "./targets.ts";

export const find: Rule = (argv, scope, around) => {
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
