import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { errorMessage, HermesError } from "../base/errors.ts";
import { fileErrorCode, openAtomic } from "../base/fs.ts";

/** Where an export goes. */
interface ExportOutput {
  write(text: string): Promise<void>;
  /** makes the whole export visible */
  commit(): void;
  /** leaves what was there before */
  discard(): void;
}

/** Characters that are collected before they are written. */
const bufferChars = 256 * 1024;

/**
 * Writes an export piece by piece to stdout (`-`) or a file, which appears as a whole or not at all.
 * @returns false when the reader of stdout went away
 * @throws {HermesError} E_EXPORT when the file cannot be written
 */
export async function writeExport(target: string, pieces: AsyncIterable<string>): Promise<boolean> {
  try {
    const output = openOutput(target);
    const stop = (signal: NodeJS.Signals): void => {
      output.discard();
      process.exit(signal === "SIGINT" ? 130 : 143);
    };
    process.once("SIGINT", stop).once("SIGTERM", stop);
    try {
      let buffer = "";
      for await (const piece of pieces) {
        buffer += piece;
        if (buffer.length < bufferChars) continue;
        await output.write(buffer);
        buffer = "";
      }
      await output.write(buffer);
      output.commit();
      return true;
    } catch (error) {
      output.discard();
      throw error;
    } finally {
      process.off("SIGINT", stop).off("SIGTERM", stop);
    }
  } catch (error) {
    const code = fileErrorCode(error);
    if (target === "-" && code === "EPIPE") return false;
    // what is no fault of the file keeps its own words
    if (code === undefined || error instanceof HermesError) throw error;
    throw new HermesError("E_EXPORT", `${target}: ${errorMessage(error)}`, {
      hint: "name a file in a folder that can be written and has room, or - for stdout",
      cause: error,
    });
  }
}

function openOutput(target: string): ExportOutput {
  if (target === "-") {
    return {
      write: (text) =>
        new Promise((resolve, reject) => {
          process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
        }),
      commit: () => undefined,
      discard: () => undefined,
    };
  }
  // a device or a pipe cannot be replaced
  if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) return openDevice(target);
  const file = openAtomic(target, { mode: 0o600 });
  return { write: async (text) => file.write(text), commit: () => file.commit(), discard: () => file.discard() };
}

function openDevice(target: string): ExportOutput {
  const handle = openSync(target, "w");
  return {
    write: async (text) => {
      const bytes = Buffer.from(text, "utf8");
      let offset = 0;
      while (offset < bytes.length) offset += writeSync(handle, bytes, offset);
    },
    commit: () => closeSync(handle),
    discard: () => closeSync(handle),
  };
}
