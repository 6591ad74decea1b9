import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readRegularFile } from "../../base/fs.ts";
import ignore, { type Ignore } from "ignore";

/** Rules of one `.gitignore`. */
interface Rules {
  directory: string;
  rules: Ignore;
}

/**
 * The files under a directory by name, without hidden ones, what `.gitignore` files leave out, and symbolic links.
 * Folders that cannot be read are left out.
 */
export function* walkFiles(root: string): Generator<string> {
  yield* walk(root, [...parentRules(root), ...ownRules(root)]);
}

function* walk(directory: string, rules: Rules[]): Generator<string> {
  for (const entry of listEntries(directory)) {
    if (entry.name.startsWith(".")) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (isIgnored(path, true, rules)) continue;
      // a repository inside another one has rules of its own
      const inherited = existsSync(join(path, ".git")) ? [] : rules;
      yield* walk(path, [...inherited, ...ownRules(path)]);
    } else if (entry.isFile() && !isIgnored(path, false, rules)) yield path;
  }
}

function listEntries(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    // one unreadable folder must not end a search of the others
    return [];
  }
}

function ownRules(directory: string): Rules[] {
  try {
    const rules = ignore({ allowRelativePaths: true }).add(
      readRegularFile(join(directory, ".gitignore")).toString("utf8"),
    );
    return [{ directory, rules }];
  } catch {
    // no such file, or none that can be read: no rules
    return [];
  }
}

/**
 * Rules of the folders above, up to the top of the repository, outermost first. Those that leave out the root itself
 * do not count: who names an ignored folder wants to see into it.
 */
function parentRules(root: string): Rules[] {
  const found: Rules[] = [];
  let current = root;
  while (!existsSync(join(current, ".git")) && dirname(current) !== current) {
    current = dirname(current);
    found.unshift(...ownRules(current));
  }
  return found.filter((rules) => !isIgnored(root, true, [rules]));
}

/** The innermost rule that speaks of a path decides. */
function isIgnored(path: string, isDirectory: boolean, rules: Rules[]): boolean {
  for (const { directory, rules: own } of rules.toReversed()) {
    const verdict = own.test(relative(directory, path) + (isDirectory ? "/" : ""));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
