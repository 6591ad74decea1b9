import { existsSync, readdirSync, readFileSync } from "node:fs";

/** One process of this machine; `startTime` tells it from a later one with the same id. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  isZombie: boolean;
  startTime: string;
}

/** The processes of this machine, undefined where there is no /proc to read them from. */
export function readProcessTable(): ProcessRow[] | undefined {
  if (!existsSync("/proc/self/stat")) return undefined;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readRow)
    .filter((row) => row !== undefined);
}

function readRow(pid: string): ProcessRow | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // the name before the last parenthesis may hold anything
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      pid: Number(pid),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      isZombie: fields[0] === "Z" || fields[0] === "X",
      startTime: fields[19] ?? "",
    };
  } catch {
    // gone between the listing and the reading
    return undefined;
  }
}

/** The children of a process with theirs, itself left out. */
export function descendantsOf(pid: number, table: ProcessRow[]): ProcessRow[] {
  const children = table.filter((row) => row.parent === pid);
  return children.flatMap((row) => [row, ...descendantsOf(row.pid, table)]);
}
