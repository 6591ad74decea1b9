/** Tells one version of a file from another. */
export interface FileStamp {
  /** nanoseconds, as the system keeps them */
  mtimeNs: bigint;
  sizeBytes: bigint;
  inode: bigint;
}

export interface ReadRange {
  offset: number;
  limit: number;
}

/** full: read it; unchanged: the model has this very text already; blocked: it asked for it again after that. */
export type ReadAdvice = { kind: "full"; repeats: number } | { kind: "unchanged" } | { kind: "blocked"; reads: number };

/** What one session has read and written: warns about stale writes and repeated reads. Paths are resolved ones. */
export interface FileState {
  /** call before a read; counts it */
  adviseRead(path: string, range: ReadRange, stamp: FileStamp): ReadAdvice;
  /** call when the text was given to the model */
  noteRead(path: string, range: ReadRange, stamp?: FileStamp): void;
  /** forgets every range of the path and takes the stamp of what was just written; undefined after a deletion */
  noteWrite(path: string, stamp: FileStamp | undefined): void;
  /** true when the file changed since this session last read or wrote it; false for a file it never touched */
  isStale(path: string, stamp: FileStamp): boolean;
  /** how often the same search was asked in a row, this one included */
  countSearch(key: string): number;
  /** call for every tool call: anything but a read or a search ends a row of repeats */
  noteToolCall(name: string): void;
  /** call after compaction: the model no longer has what it read */
  forgetReads(): void;
}

const maxRanges = 1000;
const maxStamps = 1000;
const readers = new Set(["read_file", "search_files"]);

export function createFileState(): FileState {
  /** by path, then by range: the version that the model has, and whether it was told so */
  const delivered = new Map<string, Map<string, { stamp: FileStamp; toldUnchanged: boolean }>>();
  const stamps = new Map<string, FileStamp>();
  let row: { key: string; stamp?: FileStamp; count: number } = { key: "", count: 0 };

  const countInRow = (key: string, stamp?: FileStamp): number => {
    const isSame = row.key === key && (stamp === undefined || (row.stamp !== undefined && isEqual(row.stamp, stamp)));
    row = { key, ...(stamp === undefined ? {} : { stamp }), count: isSame ? row.count + 1 : 1 };
    return row.count;
  };
  return {
    adviseRead(path, range, stamp) {
      const key = rangeKey(range);
      const reads = countInRow(`read ${path} ${key}`, stamp);
      const known = delivered.get(path)?.get(key);
      if (known !== undefined && isEqual(known.stamp, stamp)) {
        if (known.toldUnchanged) return { kind: "blocked", reads };
        known.toldUnchanged = true;
        return { kind: "unchanged" };
      }
      return reads >= 4 ? { kind: "blocked", reads } : { kind: "full", repeats: reads };
    },
    noteRead(path, range, stamp) {
      if (stamp === undefined) return;
      const ranges = delivered.get(path) ?? new Map<string, { stamp: FileStamp; toldUnchanged: boolean }>();
      ranges.set(rangeKey(range), { stamp, toldUnchanged: false });
      putNewest(delivered, path, ranges, maxRanges);
      dropOldest(ranges, maxRanges);
      putNewest(stamps, path, stamp, maxStamps);
    },
    noteWrite(path, stamp) {
      delivered.delete(path);
      if (stamp === undefined) stamps.delete(path);
      else putNewest(stamps, path, stamp, maxStamps);
    },
    isStale(path, stamp) {
      const known = stamps.get(path);
      return known !== undefined && !isEqual(known, stamp);
    },
    countSearch: (key) => countInRow(`search ${key}`),
    noteToolCall(name) {
      if (!readers.has(name)) row = { key: "", count: 0 };
    },
    forgetReads: () => delivered.clear(),
  };
}

function rangeKey(range: ReadRange): string {
  return `${range.offset}+${range.limit}`;
}

function isEqual(left: FileStamp, right: FileStamp): boolean {
  return left.mtimeNs === right.mtimeNs && left.sizeBytes === right.sizeBytes && left.inode === right.inode;
}

function putNewest<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, limit);
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
