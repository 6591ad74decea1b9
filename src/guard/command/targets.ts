import { basename } from "node:path";
import { absolutePath, covers, hermesHomes, isEnvironmentFile, isGitControl } from "../path-classes.ts";
import { judgePath } from "../path.ts";
import type { Argument } from "./argument.ts";
import { isCriticalTarget } from "./hardline.ts";
import { type Scope, takeStep } from "./scope.ts";

const disk =
  /^\/dev\/(?:sd[a-z*?[]|hd[a-z*?[]|vd[a-z*?[]|xvd|nvme|mmcblk|mtd|r?disk|dm-|md[\d/*?[]|mapper\/|loop|nbd|zd\d|zvol\/|sr\d|pmem|vg[\w-]*\/)/;
const harmlessDevice = /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|fd\/\d+|shm(?:\/.*)?|pts\/\d+)$/;

/** How a rule names a write to a system file, for its approval key. */
export type WriteKind =
  | "overwrite system config"
  | "overwrite system file via tee"
  | "overwrite system file via redirection"
  | "copy/move file into /etc/"
  | "in-place edit of system config";

export const isDisk = (path: string): boolean => disk.test(path.toLowerCase());

/** Judges a file that a command writes, replaces or removes. */
export function checkWrite(target: Argument, kind: WriteKind, scope: Scope): void {
  const { findings, place } = scope;
  if (target.glob && target.value !== undefined && isDisk(absolutePath(target.value, place))) {
    findings.refuse("write to block device", `writes over a disk: ${target.text}`);
    return;
  }
  if (target.value === undefined || target.glob) {
    findings.ask("write to an unknown path", `writes to ${target.text}, known only when it runs`);
    return;
  }
  if (!takeStep(scope)) return;
  const path = absolutePath(target.value, place);
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) {
    findings.ask("network connection by redirection", `opens a connection: ${target.text}`);
    return;
  }
  if (isDisk(path)) {
    findings.refuse("write to block device", `writes over a disk: ${target.text}`);
    return;
  }
  if (path === "/proc/sysrq-trigger") {
    findings.refuse("system shutdown", "gives the kernel a command");
    return;
  }
  if (path.startsWith("/dev/")) {
    if (!harmlessDevice.test(path)) findings.ask("write to block device", `writes to a device: ${target.text}`);
    return;
  }
  if (isProjectConfig(path)) findings.ask("overwrite project env/config", `writes ${target.text}`);
  if (isDotFile(path, scope)) findings.ask("overwrite dot file", `writes ${target.text}, which other programs obey`);
  const verdict = judgePath(target.value, "write", place);
  if (!verdict.allowed) findings.ask(kind, `writes ${target.text}: ${verdict.reason ?? "it is protected"}`);
}

/** What fills a home, or takes its place, may replace any file of it. */
export function checkFilled(target: Argument, { findings, place }: Scope): void {
  if (target.value === undefined || target.glob) return;
  const path = absolutePath(target.value, place);
  if (hermesHomes(place).includes(path) || isCriticalTarget(target, place))
    findings.ask("write of many files into a home", `may replace anything in ${target.text}`);
}

function isProjectConfig(path: string): boolean {
  return isEnvironmentFile(path) || basename(path).toLowerCase() === "config.yaml" || isGitControl(path);
}

function isDotFile(path: string, { place }: Scope): boolean {
  const inHome = path.startsWith(`${place.userHome}/.`) && !path.slice(place.userHome.length + 1).includes("/");
  return inHome && !hermesHomes(place).some((home) => covers({ path: home, reason: "" }, path));
}
