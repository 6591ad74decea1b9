import { errorMessage } from "../base/errors.ts";
import { fileErrorCode } from "../base/fs.ts";

const texts: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be larger than allowed",
  EISDIR: "is a directory",
  ENOTDIR: "a part of the path is a file, not a directory",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many symbolic links",
  ENOENT: "no such file or directory",
  EMFILE: "too many open files",
};

/** A file system error in words, with the path as the model wrote it. */
export function fileFault(path: string, error: unknown): string {
  const code = fileErrorCode(error);
  return `${path}: ${(code === undefined ? undefined : texts[code]) ?? errorMessage(error)}`;
}
