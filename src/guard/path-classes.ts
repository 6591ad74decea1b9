import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Place } from "./types.ts";

/** A directory or file that is protected, with the reason a person reads. */
export interface ProtectedPath {
  path: string;
  /** true: everything below it as well */
  tree?: boolean;
  reason: string;
}

const credentialTrees = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".config/gh",
  ".config/gcloud",
  ".password-store",
];
const credentialFiles = [".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".my.cnf", ".vault-token"];
const startupFiles = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".xprofile",
  ".gitconfig",
];
const startupTrees = [".config/git", ".config/systemd", ".config/autostart", ".config/fish", "Library/LaunchAgents"];
const systemTrees = [
  "/etc",
  "/private/etc",
  "/boot",
  "/usr/bin",
  "/usr/sbin",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libexec",
  "/usr/share",
  "/usr/include",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/sys",
  "/proc",
];
const moreSystemTrees = ["/System", "/Library", "/Applications", "/var/spool/cron", "/private/var/at", "/root/.ssh"];
const sockets = ["/var/run/docker.sock", "/run/docker.sock"];

/** files and folders of the hermes home that decide what the agent may do or hold its secrets */
const controlFiles = [
  "config.yaml",
  "auth.json",
  "auth.lock",
  "hermes.db",
  "hermes.db-wal",
  "hermes.db-shm",
  "webhook_subscriptions.json",
  "google_oauth.json",
  "google_token.json",
  "SOUL.md",
];
const controlTrees = ["mcp-tokens", "pairing", "hooks", "plugins"];
const secretFiles = ["auth.json", "auth.lock", "webhook_subscriptions.json", "google_oauth.json", "google_token.json"];
const secretTrees = ["mcp-tokens", "cache/secrets", "skills/.hub"];

/** Where hermes homes may be: the one in use, and the default one. */
export function hermesHomes(place: Place): string[] {
  return [...new Set([place.home, join(place.userHome, ".hermes")])];
}

const writeLists = new WeakMap<Place, ProtectedPath[]>();

/** What may not be written, made once for each place. */
export function writeProtected(place: Place): ProtectedPath[] {
  const list = writeLists.get(place) ?? listWriteProtected(place);
  writeLists.set(place, list);
  return list;
}

function listWriteProtected(place: Place): ProtectedPath[] {
  const inHome = (names: string[], reason: string, tree = false): ProtectedPath[] =>
    names.map((name) => ({ path: join(place.userHome, name), tree, reason }));
  return [
    ...inHome(credentialTrees, "it holds credentials", true),
    ...inHome(credentialFiles, "it holds credentials"),
    ...inHome(startupFiles, "it runs when a shell starts"),
    ...inHome(startupTrees, "it runs at login", true),
    ...[...systemTrees, ...moreSystemTrees].map((path) => ({ path, tree: true, reason: "it belongs to the system" })),
    ...sockets.map((path) => ({ path, reason: "it controls containers" })),
    ...hermesHomes(place).flatMap((home) => [
      ...controlFiles.map((name) => ({ path: join(home, name), reason: "it decides what the agent may do" })),
      ...controlTrees.map((name) => ({
        path: join(home, name),
        tree: true,
        reason: "it decides what the agent may do",
      })),
      ...secretTrees.map((name) => ({ path: join(home, name), tree: true, reason: "it holds secrets" })),
      { path: join(home, "logs"), tree: true, reason: "it tells what the agent did" },
    ]),
  ];
}

export function readProtected(place: Place): ProtectedPath[] {
  return hermesHomes(place).flatMap((home) => [
    ...secretFiles.map((name) => ({ path: join(home, name), reason: "it holds the agent's own secrets" })),
    ...secretTrees.map((name) => ({ path: join(home, name), tree: true, reason: "it is internal to hermes" })),
  ]);
}

/** `.env`, `.env.local`, `.envrc` … but not examples to be filled in. */
export function isEnvironmentFile(path: string): boolean {
  const name = basename(path).toLowerCase();
  return (
    (name === ".env" || name === ".envrc" || name.startsWith(".env.")) &&
    !/\.(?:example|sample|template|dist)$/.test(name)
  );
}

/** What makes git run programs: hooks, and settings of a repository, of its modules and worktrees. */
export function isGitControl(path: string): boolean {
  return /\/\.git\/(?:.*\/)?(?:hooks(?:\/|$)|config(?:\.worktree)?$)/i.test(path);
}

export function covers(entry: ProtectedPath, path: string): boolean {
  const other = comparable(path);
  const mine = comparable(entry.path);
  return other === mine || (entry.tree === true && other.startsWith(mine === "/" ? "/" : `${mine}/`));
}

/** compared without case everywhere: a false hit on a case-sensitive disk costs one question */
function comparable(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Expands `~` and `~name` as a shell does. */
function expandHome(path: string, place: Place): string {
  const match = /^~([A-Za-z_][\w.-]*)?(?=\/|$)/.exec(path);
  if (match === null) return path;
  const [prefix, name] = match;
  const home = name === undefined || name === basename(place.userHome) ? place.userHome : homeOf(name);
  return join(home, path.slice(prefix.length));
}

/** where the system's tools put the home of a user */
function homeOf(name: string): string {
  if (name === "root") return process.platform === "darwin" ? "/var/root" : "/root";
  return join(process.platform === "darwin" ? "/Users" : "/home", name);
}

/** Expands `~`, makes absolute and removes `.` and `..`; follows no links. */
export function absolutePath(path: string, place: Place): string {
  return resolve(place.cwd, expandHome(path, place));
}

/**
 * Follows every link, also when the last components do not exist yet.
 * A `..` after a link is taken where the link leads, as the system does.
 */
export function realPath(path: string, place: Place): string {
  const expanded = expandHome(path, place);
  const absolute = isAbsolute(expanded) ? expanded : `${place.cwd}/${expanded}`;
  const components = absolute.split("/").filter((component) => component !== "" && component !== ".");
  if (!components.includes("..")) return followed(`/${components.join("/")}`);
  let current = "/";
  for (const component of components)
    current = component === ".." ? dirname(current) : followed(join(current, component));
  return current;
}

function followed(path: string, hops = 0): string {
  try {
    return realpathSync(path);
  } catch {
    // what does not exist, or is a link to nothing, is looked at by name, below what does exist
    return path === "/" ? path : linkTarget(join(followed(dirname(path), hops), basename(path)), hops);
  }
}

function linkTarget(path: string, hops: number): string {
  if (hops > 40) return path;
  try {
    const target = readlinkSync(path);
    return followed(isAbsolute(target) ? resolve(target) : resolve(dirname(path), target), hops + 1);
  } catch {
    // no link: the name itself is where a write would go
    return path;
  }
}
