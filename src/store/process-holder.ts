import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * alive: that very process runs on this machine. dead: it does not. unknown: another machine, or a holder that does
 * not say when it started.
 */
export type HolderState = "alive" | "dead" | "unknown";

let own: string | undefined;

/** Names this process in leases: `host:pid:start`. The start tells it from a later process with the same pid. */
export function processHolder(): string {
  own ??= `${hostName()}:${process.pid}:${startOf(process.pid) ?? "unknown"}`;
  return own;
}

export function holderState(holder: string): HolderState {
  const [, host, pidText, start] = /^(.*):(\d+):([^:]*)$/.exec(holder) ?? [];
  if (host === undefined || (host !== hostName() && host !== hostname())) return "unknown";
  const pid = Number(pidText);
  if (!isRunning(pid)) return host === hostName() ? "dead" : "unknown";
  if (start === undefined || !start.startsWith(START_MARK)) return "unknown";
  return startOf(pid) === start ? "alive" : "dead";
}

const START_MARK = "s";

/** Process ids mean something only inside their namespace, so containers that share a host name must differ. */
function hostName(): string {
  try {
    return `${hostname()}/${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? ""}`;
  } catch {
    // no process namespaces here (macOS): the host name says it all
    return hostname();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to somebody else
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process started, in a form that only serves for comparing; undefined when the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== "linux") {
      const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
      return START_MARK + text.replace(/\D+/g, "");
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // the name in parentheses may hold blanks; the 20th field after it is the start in ticks since boot
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    return `${START_MARK}${boot}${ticks ?? ""}`;
  } catch {
    // the process has gone between two looks, or /proc is closed: then the expiry of the lease decides
    return undefined;
  }
}
