import { sleep } from "../base/time.ts";
import { fileErrorCode } from "../base/fs.ts";
import { descendantsOf, type ProcessRow, readProcessTable } from "./process-table.ts";

/** How long a process group may take to end after SIGTERM. */
const graceMs = 1000;
const pollMs = 20;
/** polls between two looks at the process table */
const scanEvery = 5;

/** Sends a signal to a whole process group; false when nothing of it is left. */
export function signalGroup(processGroup: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-processGroup, signal);
    return true;
  } catch (error) {
    // EPERM: something is left that is not ours to signal
    return fileErrorCode(error) === "EPERM" && signal === 0;
  }
}

/**
 * Ends a process group: SIGTERM, then SIGKILL for what ignores it, and for children that went into a group of their own.
 * Resolves when nothing of it runs any more.
 */
export async function stopGroup(processGroup: number): Promise<void> {
  const runaways = descendantsOf(processGroup, readProcessTable() ?? []).filter((row) => row.group !== processGroup);
  if (signalGroup(processGroup, "SIGTERM") && !(await isGone(processGroup))) {
    signalGroup(processGroup, "SIGKILL");
    // what hangs in the system itself is not waited for any longer
    await isGone(processGroup);
  }
  if (runaways.length > 0) killRunaways(runaways);
}

function killRunaways(runaways: ProcessRow[]): void {
  const now = readProcessTable() ?? [];
  for (const { pid, startTime } of runaways) {
    if (now.some((row) => row.pid === pid && row.startTime === startTime)) signalProcess(pid);
  }
}

function signalProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // ended by itself in the meantime, or not ours to end
    if (fileErrorCode(error) !== "ESRCH" && fileErrorCode(error) !== "EPERM") throw error;
  }
}

/** Watches a group until it is gone; false when it takes longer than the grace time. */
async function isGone(processGroup: number): Promise<boolean> {
  for (let poll = 0; poll < graceMs / pollMs; poll += 1) {
    if (!signalGroup(processGroup, 0)) return true;
    await sleep(pollMs);
    if (poll % scanEvery === 0 && !hasLiveMember(processGroup)) return true;
  }
  return false;
}

/**
 * False when only zombies are left of a group: in a container nobody may collect them, and they answer signals for ever.
 * True where there is no process table to look at.
 */
function hasLiveMember(processGroup: number): boolean {
  return readProcessTable()?.some((row) => row.group === processGroup && !row.isZombie) ?? true;
}

/** Waits for something, but not longer than a while; leaves no timer behind. */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  try {
    // the timer that lost the race rejects when it is stopped
    await Promise.race([promise, sleep(ms, over.signal).catch(() => undefined)]);
  } finally {
    over.abort();
  }
}

/** Process groups that must not outlive this process. */
export interface LiveGroups {
  add(processGroup: number): void;
  delete(processGroup: number): void;
  stopAll(): Promise<void>;
}

/** Kills what is left when this process exits. Does nothing to the process while it is empty. */
export function createLiveGroups(): LiveGroups {
  const groups = new Set<number>();
  const killAll = (): void => {
    for (const group of groups) signalGroup(group, "SIGKILL");
  };
  return {
    add(processGroup) {
      if (groups.size === 0) process.once("exit", killAll);
      groups.add(processGroup);
    },
    delete(processGroup) {
      groups.delete(processGroup);
      if (groups.size === 0) process.removeListener("exit", killAll);
    },
    async stopAll() {
      await Promise.all([...groups].map(stopGroup));
    },
  };
}
