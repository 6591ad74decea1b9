import { basename } from "node:path";
import type { Argument } from "./argument.ts";
import type { Scope, Surroundings } from "./scope.ts";

/** programs that take words as text, names or patterns, and never run them */
const readers = new Set(
  (
    "echo printf man info help apropos whatis which type whereis hash compgen ls cat head tail less more wc file stat du " +
    "grep egrep fgrep rg ag ack look test [ [[ expr seq cd pushd mkdir touch diff cmp comm join paste cut tr rev nl od " +
    "basename dirname realpath readlink apt apt-get aptitude dpkg dnf yum rpm pacman apk brew snap flatpak pip pip3 " +
    "pipx cargo gem go tldr history fc jq yq column fold fmt md5sum sha256sum tree logger notify-send return exit"
  ).split(" "),
);

/** programs whose name among the words of another one may mean that it is run */
const started =
  /^(?:rm|unlink|shred|dd|mkfs(?:\..+)?|wipefs|blkdiscard|mv|chmod|chown|kill|pkill|killall|reboot|shutdown|poweroff|halt|find|(?:ba|da|z|k|a)?sh|sudo|doas|env|busybox|xargs|rsync|truncate|tee)$/;

/**
 * The last words of a program nobody knows, which may be a command that it runs: `bwrap … rm -rf /`.
 * They are judged like that command; what is no command finds nothing.
 */
export function judgeTail(name: string, argv: Argument[], scope: Scope, around: Surroundings): void {
  if (readers.has(name) || around.isTail === true) return;
  for (const [index, word] of argv.entries()) {
    if (word.value !== undefined && started.test(basename(word.value)))
      scope.judgeArgv(argv.slice(index), scope, { ...around, isTail: true });
  }
}
