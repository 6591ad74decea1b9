import { absolutePath } from "../path-classes.ts";
import type { Place } from "../types.ts";
import type { Argument } from "./argument.ts";

const criticalDirectories = [
  "/",
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/proc",
  "/root",
  "/sbin",
  "/sys",
  "/usr",
  "/var",
  "/System",
  "/Library",
  "/Users",
  "/Applications",
  "/Volumes",
  "/private",
  "/private/etc",
  "/private/var",
];

/** True when removing this would take the system or the whole home with it: the directory itself, or all in it. */
export function isCriticalTarget(argument: Argument, place: Place): boolean {
  return isOneOf(argument, [...criticalDirectories, place.userHome], place);
}

/** The same for the system's directories only: a home may have its rights changed. */
export function isSystemTarget(argument: Argument, place: Place): boolean {
  return isOneOf(
    argument,
    criticalDirectories.filter((directory) => directory !== place.userHome),
    place,
  );
}

function isOneOf(argument: Argument, directories: string[], place: Place): boolean {
  if (argument.value === undefined) return false;
  const path = absolutePath(argument.value, place);
  const critical = directories.map((directory) => directory.toLowerCase());
  if (!argument.glob) return critical.includes(path.toLowerCase());
  const parent = path.replace(/\/[^/]*$/, "").toLowerCase() || "/";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (isEverything(name) && critical.includes(parent)) return true;
  const pattern = globPattern(path.toLowerCase());
  return pattern !== undefined && critical.some((directory) => pattern.test(directory));
}

/** A pattern that is nothing but wildcards takes everything in its directory. */
export function isEverything(name: string): boolean {
  return /^[.*?!(){}[\]@+|]*\*[.*?!(){}[\]@+|]*$/.test(name);
}

/** A shell pattern as a regular expression without nesting; undefined when it is too long to be one by hand. */
function globPattern(glob: string): RegExp | undefined {
  if (glob.length > 200 || (glob.match(/\*/g) ?? []).length > 5) return undefined;
  const source = glob.replace(/\*+|\?|\[[^\]]*\]|[^\w/]/g, (piece) => {
    if (piece.startsWith("*")) return "[^/]*";
    if (piece === "?" || piece.length > 1) return "[^/]";
    return `\\${piece}`;
  });
  return new RegExp(`^${source}$`);
}
