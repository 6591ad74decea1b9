import { resolve } from "node:path";
import type { Argument } from "./argument.ts";
import { isOption, operands, optionWords } from "./options.ts";
import type { Rule } from "./rule.ts";
import { checkWrite, isDisk } from "./targets.ts";

const dd: Rule = (argv, scope) => {
  for (const word of argv) {
    if (word.value === undefined) scope.findings.ask("disk copy", `copies raw data: ${word.text}`);
    else if (/^(?:if|of)=/.test(word.value)) {
      scope.findings.ask("disk copy", "copies raw data");
      if (word.value.startsWith("of="))
        checkWrite({ ...word, value: word.value.slice(3) }, "overwrite system config", scope);
    }
  }
};

const makeFilesystem: Rule = (argv, { findings }) => {
  findings.ask("format filesystem", "makes a new file system, which erases what is there");
  const target = argv.find(
    (word) => word.value !== undefined && /^\/dev\/./.test(resolve("/", word.value)) && !isOption(word),
  );
  if (target !== undefined) findings.refuse("format filesystem", `formats ${target.text}`);
};

const shred: Rule = (argv, scope) => {
  scope.findings.ask("shred", "overwrites files so that they cannot be recovered");
  for (const target of operands(argv)) if (!target.glob) checkWrite(target, "overwrite system config", scope);
};

/** What the words of a disk program do: only look, or erase; anything else may change the disk. */
interface DiskProgram {
  looks: RegExp;
  erases?: RegExp;
  /** without a word that says otherwise it only looks */
  looksByDefault?: boolean;
}

const help = "--help|--version|-V|-h";
const diskPrograms: Record<string, DiskProgram> = {
  fdisk: { looks: new RegExp(`^(?:-l|--list|-s|--getsz|${help})$`) },
  gdisk: { looks: new RegExp(`^(?:-l|${help})$`) },
  cfdisk: { looks: new RegExp(`^(?:${help})$`) },
  sfdisk: {
    looks: new RegExp(`^(?:-[lds]|-[JFVT]|--(?:list|dump|json|verify|show-size|list-free|list-types)|${help})$`),
    erases: /^--(?:delete|wipe=always)/,
  },
  sgdisk: {
    looks: new RegExp(`^(?:-[pviLEFfO]|--(?:print|verify|info.*|list-types|print-mbr)|${help})$`),
    erases: /^(?:-[a-zA-Z]*[ZzodnR]|--(?:zap(?:-all)?|clear|delete|new|replicate|load-backup))/,
  },
  parted: {
    looks: new RegExp(`^(?:-l|--list|print|unit|${help})$`),
    erases: /^(?:mklabel|mktable|rm|mkpart|resizepart)\b/,
  },
  wipefs: { looks: /^$/, looksByDefault: true, erases: /^(?:-[a-zA-Z]*[ao]|--all|--offset)/ },
  hdparm: {
    looks: new RegExp(`^(?:-[iIgtTCH]+|${help})$`),
    erases: /^--(?:security-|write-sector|make-bad-sector|trim-sector|please-destroy|fwdownload|format)/,
  },
  nvme: {
    looks: /^(?:list.*|id-.*|show-.*|get-.*|smart-log|error-log|fw-log|telemetry-log|version|help)$/,
    erases: /^(?:format|sanitize|write.*|dsm|delete-ns|fw-(?:download|commit|activate))$/,
  },
  cryptsetup: {
    looks: new RegExp(`^(?:status|luksDump|isLuks|luksUUID|benchmark|open|luksOpen|close|luksClose|${help})$`, "i"),
    erases: /^(?:luksFormat|erase|luksErase|reencrypt|luksKillSlot|luksRemoveKey|luksHeaderRestore|format)$/i,
  },
  blkdiscard: { looks: new RegExp(`^(?:${help})$`), erases: /./ },
  badblocks: { looks: /^$/, looksByDefault: true, erases: /^-[a-zA-Z]*w/ },
};

const onDisk =
  (program: DiskProgram): Rule =>
  (argv, { findings }) => {
    const erases = argv.some((word) => word.value !== undefined && program.erases?.test(word.value) === true);
    const disk = argv.find((word) => word.value !== undefined && isDisk(resolve("/", word.value)));
    if (erases && disk !== undefined) findings.refuse("erase of a disk", `erases ${disk.text}`);
    const isUnknown = argv.some((word) => word.value === undefined);
    const looks =
      !erases && !isUnknown && (program.looksByDefault ?? argv.some((word) => program.looks.test(word.value ?? "")));
    if (!looks && argv.length > 0) findings.ask("disk layout", "changes or erases a disk");
  };

/** words that make a storage program lose data */
const losing: Record<string, RegExp> = {
  zpool: /^(?:destroy|labelclear|remove|detach|offline|replace|split|rollback)$/,
  zfs: /^(?:destroy|rollback|receive|recv|unload-key)$/,
  lvremove: /./,
  vgremove: /./,
  pvremove: /./,
  lvreduce: /./,
  vgreduce: /./,
  lvconvert: /./,
  btrfs: /^(?:delete|del|restore|rescue|balance|zero-log|device)$/,
  mdadm: /^(?:--zero-superblock|--stop|-S|--remove|-r|--fail|-f|--create|-C)$/,
  dmsetup: /^(?:remove|remove_all|clear|wipe_table|load|create)$/,
  umount: /^(?:-[a-zA-Z]*[alf]|--all|--lazy|--force|\/.*)/,
  swapoff: /./,
  e2fsck: /^-[a-zA-Z]*[pyfc]/,
  fsck: /^-[a-zA-Z]*[pyfa]/,
  tune2fs: /^-[a-km-zA-Z]/,
  resize2fs: /./,
};

const loses =
  (words: RegExp): Rule =>
  (argv, scope) => {
    const isHelp = optionWords(argv).some((word) => /^(?:--help|--version|-V)$/.test(word.value ?? ""));
    if (isHelp || !argv.some((word) => word.value === undefined || words.test(word.value))) return;
    scope.findings.ask("change of storage", `may lose data: ${textOf(argv)}`);
  };

const textOf = (argv: Argument[]): string => argv.map((word) => word.text).join(" ");

export const diskRules: Record<string, Rule> = {
  dd,
  dcfldd: dd,
  shred,
  ...Object.fromEntries(Object.entries(diskPrograms).map(([name, program]) => [name, onDisk(program)])),
  ...Object.fromEntries(Object.entries(losing).map(([name, words]) => [name, loses(words)])),
  mkfs: makeFilesystem,
  mke2fs: makeFilesystem,
  mkswap: makeFilesystem,
  wipe: shred,
};
