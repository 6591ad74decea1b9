/** first words under which older allow lists kept an approval, with the keys they stand for */
const legacyKeys: Record<string, string[]> = {
  rm: ["delete in root path", "recursive delete", "recursive delete (long flag)"],
  chmod: [
    "world/other-writable permissions",
    "recursive world/other-writable permissions",
    "world/other-writable permissions (long flag)",
    "recursive world/other-writable permissions (long flag)",
  ],
  chown: ["recursive chown to root", "recursive chown to root (long flag)"],
  mkfs: ["format filesystem"],
  dd: ["disk copy"],
  DROP: ["SQL DROP"],
  DELETE: ["SQL DELETE without WHERE"],
  TRUNCATE: ["SQL TRUNCATE"],
  systemctl: ["stop/disable system service"],
  kill: ["kill all processes"],
  pkill: ["force kill processes"],
  curl: ["pipe remote content to shell"],
  wget: ["pipe remote content to shell"],
  tee: ["overwrite system file via tee"],
  xargs: ["xargs with rm"],
  find: ["find -exec rm", "find -delete"],
  bash: ["shell command via -c/-lc flag", "execute remote script via process substitution"],
  sh: ["shell command via -c/-lc flag"],
  python: ["script execution via -e/-c flag"],
  cp: ["copy/move file into /etc/"],
  sed: ["in-place edit of system config"],
};

/** True when one of the approved keys, in the present or the old spelling, stands for this one. */
export function coversKey(approved: ReadonlySet<string>, key: string): boolean {
  if (approved.has(key)) return true;
  return Object.entries(legacyKeys).some(([legacy, keys]) => approved.has(legacy) && keys.includes(key));
}
