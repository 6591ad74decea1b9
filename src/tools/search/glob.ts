import { relative } from "node:path";
import picomatch from "picomatch";

/**
 * Tells whether a file matches a glob: one without a slash is compared with the name, another with the path below
 * the root. A leading `!` turns the answer round.
 */
export function globFilter(glob: string | undefined, root: string): (path: string) => boolean {
  if (glob === undefined || glob.trim() === "") return () => true;
  const isNegated = glob.startsWith("!");
  const pattern = (isNegated ? glob.slice(1) : glob).replace(/^\.?\//, "");
  const matches = picomatch(pattern, { basename: !pattern.includes("/"), dot: true });
  return (path) => matches(relative(root, path)) !== isNegated;
}
