import { dirname, join } from "node:path";
import { absolutePath, hermesHomes } from "../path-classes.ts";
import { type Argument, literal } from "./argument.ts";
import { isCriticalTarget } from "./hardline.ts";
import { operands, optionValue } from "./options.ts";
import type { Scope } from "./scope.ts";
import { checkSecretRead } from "./secret-reads.ts";
import { checkWrite } from "./targets.ts";

/**
 * A link gives a protected file another name, under which later words of the command could write it unseen.
 * So making a link is judged like writing what it leads to.
 */
export function checkLinks(argv: Argument[], scope: Scope): void {
  const words = operands(argv);
  const given = optionValue(argv, "t", "target-directory");
  const sources = given === undefined && words.length > 1 ? words.slice(0, -1) : words;
  const place = given ?? (words.length > 1 ? words.at(-1) : literal("."));
  for (const source of sources) {
    if (source.value === undefined || source.glob) {
      scope.findings.ask("link to a protected place", `links to ${source.text}, known only when it runs`);
      continue;
    }
    for (const value of meanings(source.value, place?.value)) checkLinked({ ...source, value }, scope);
  }
}

/** A relative symbolic link starts where it lies: beside its own name, or in the directory that takes it. */
function meanings(source: string, target: string | undefined): string[] {
  if (/^[/~]/.test(source) || target === undefined) return [source];
  return [...new Set([source, join(dirname(target), source), join(target, source)])];
}

function checkLinked(source: Argument, scope: Scope): void {
  checkWrite(source, "copy/move file into /etc/", scope);
  checkSecretRead(source, scope);
  const path = absolutePath(source.value ?? "", scope.place).toLowerCase();
  const inside = [scope.place.userHome, ...hermesHomes(scope.place)].map((home) => home.toLowerCase());
  const holdsHome = inside.some((home) => home === path || home.startsWith(path.endsWith("/") ? path : `${path}/`));
  if (holdsHome || isCriticalTarget(source, scope.place)) {
    scope.findings.ask("link to a protected place", `links to ${source.text}`);
  }
}
