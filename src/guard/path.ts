import { resolve } from "node:path";
import {
  absolutePath,
  covers,
  hermesHomes,
  isGitControl,
  isEnvironmentFile,
  readProtected,
  realPath,
  writeProtected,
} from "./path-classes.ts";
import type { Place } from "./types.ts";

/** Whether a file may be touched; `resolved` is absolute with links followed. */
export interface PathVerdict {
  allowed: boolean;
  resolved: string;
  reason?: string;
  hint?: string;
}

/** never readable: they block, or never end */
const endlessDevices =
  /^\/dev\/(?:zero|random|urandom|full|stdin|tty\w*|console|stdout|stderr|ptmx|pts\/\d+|fd\/\d+|(?:r?disk|sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|mem|kmem|port)\w*)$/;
const processHandles = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/fd(?:\/|$)/;
const processSecrets = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(?:environ|mem|auxv)$/;

/**
 * Decides whether a file tool may read or write a path. Relative paths start at `place.cwd`, `~` is the user's home.
 * Judged as written and as it is after following links: both must be allowed.
 * Never throws; a path that cannot be one (a NUL in it) is refused.
 */
export function judgePath(path: string, action: "read" | "write", place: Place): PathVerdict {
  if (path === "" || path.includes("\0")) {
    return { allowed: false, resolved: resolve(place.cwd), reason: "this is no path", hint: "give the path of a file" };
  }
  const written = absolutePath(path, place);
  const resolved = realPath(path, place);
  const real = realPlace(place);
  const reason =
    action === "write"
      ? (outsideRoots(resolved, real) ?? writeReason([written, resolved], [place, real]))
      : readReason([written, resolved], [place, real]);
  if (reason === undefined) return { allowed: true, resolved };
  return { allowed: false, resolved, reason, hint: hintFor(action, resolved) };
}

const realPlaces = new WeakMap<Place, Place>();

/** the same place with links followed, made once for each place */
function realPlace(place: Place): Place {
  const known = realPlaces.get(place);
  if (known !== undefined) return known;
  const real = {
    ...place,
    home: realPath(place.home, place),
    userHome: realPath(place.userHome, place),
    ...(place.writeRoots === undefined ? {} : { writeRoots: place.writeRoots.map((root) => realPath(root, place)) }),
  };
  realPlaces.set(place, real);
  return real;
}

function writeReason(paths: string[], places: Place[]): string | undefined {
  for (const path of paths) {
    if (/^\/dev\/(?!null$)/.test(path)) return "it is a device";
    const isInside = places.flatMap(hermesHomes).some((home) => covers({ path: home, tree: true, reason: "" }, path));
    if (isInside && isEnvironmentFile(path)) {
      return "it holds the agent's own secrets";
    }
    if (isGitControl(path)) return "git runs programs by it";
    const entry = places.flatMap(writeProtected).find((candidate) => covers(candidate, path));
    if (entry !== undefined) return entry.reason;
  }
  return undefined;
}

/** a file outside the roots, when there are any; only where it really is counts */
function outsideRoots(resolved: string, place: Place): string | undefined {
  const roots = place.writeRoots;
  if (roots === undefined || roots.some((path) => covers({ path, tree: true, reason: "" }, resolved))) return undefined;
  return `it is outside ${roots.join(", ")} (HERMES_WRITE_SAFE_ROOT)`;
}

function readReason(paths: string[], places: Place[]): string | undefined {
  for (const path of paths) {
    if (endlessDevices.test(path) || processHandles.test(path)) return "it is a device that blocks or never ends";
    if (processSecrets.test(path)) return "it holds the memory or the environment of a process";
    if (isEnvironmentFile(path)) return "it holds secrets";
    const entry = places.flatMap(readProtected).find((candidate) => covers(candidate, path));
    if (entry !== undefined) return entry.reason;
  }
  return undefined;
}

function hintFor(action: "read" | "write", path: string): string {
  if (action === "write") return "ask the user to change this file; do not write it another way";
  return isEnvironmentFile(path)
    ? "read the .env.example beside it for the names, or ask the user for what you need"
    : "ask the user for what you need from it";
}
