import { type Argument, literal, unknownArgument } from "./argument.ts";
import { checkAssignment } from "./assignments.ts";
import { judgeText } from "./code-rules.ts";
import { splitString } from "./split-string.ts";
import { attachCheck } from "./machine-rules.ts";
import { hasShort, isLong, optionValue, type Unwrapped, unwrap, type WrapperTable } from "./options.ts";
import type { Scope, Surroundings } from "./scope.ts";
import { checkWrite } from "./targets.ts";

interface Wrapper extends WrapperTable {
  /** looks at the wrapper's own options */
  check?: (unwrapped: Unwrapped, scope: Scope, around: Surroundings) => void;
  /** changes what is judged */
  adapt?: (unwrapped: Unwrapped) => Argument[];
  /** the commands that it runs when its input is known */
  fill?: (unwrapped: Unwrapped, input: string) => Argument[][];
}

const sudoLong = [
  "user",
  "group",
  "host",
  "prompt",
  "chdir",
  "chroot",
  "role",
  "type",
  "close-from",
  "command-timeout",
  "other-user",
];

const wrappers: Record<string, Wrapper> = {
  sudo: { short: "ughpDRrtCTU", long: sudoLong, assignments: true, check: checkSudo },
  doas: { short: "uCa", check: checkSudo },
  pkexec: { long: ["user"] },
  env: { short: "uCS", long: ["unset", "chdir", "split-string"], assignments: true, check: checkEnv },
  nohup: {},
  setsid: {},
  nice: { short: "n", long: ["adjustment"] },
  ionice: { short: "cnpPu", long: ["class", "classdata"] },
  chrt: { leading: 1, short: "TPD" },
  taskset: { leading: 1 },
  timeout: { leading: 1, short: "ks", long: ["kill-after", "signal"] },
  stdbuf: { short: "ioe", long: ["input", "output", "error"] },
  time: { short: "fo", long: ["format", "output"] },
  command: {},
  builtin: {},
  exec: { short: "a" },
  busybox: {},
  toybox: {},
  unbuffer: {},
  setarch: { leading: 1 },
  strace: { short: "eopsSuEaIXPb", check: checkTrace },
  ltrace: { short: "eopsSuEaIXPb", check: checkTrace },
  chroot: { leading: 1, long: ["userspec", "groups"] },
  unshare: { short: "SG", long: ["map-user", "map-group", "root", "wd", "setuid", "setgid"] },
  nsenter: { short: "tSG", long: ["target"] },
  "systemd-run": {
    short: "puMHt",
    long: ["unit", "property", "description", "slice", "uid", "gid", "setenv", "on-active", "on-calendar"],
  },
  "systemd-inhibit": { long: ["what", "who", "why", "mode"] },
  "dbus-run-session": {},
  "xvfb-run": { short: "snefpw", long: ["server-args", "server-num"] },
  caffeinate: { short: "tw" },
  flock: { leading: 1, short: "wEc", long: ["timeout", "wait", "conflict-exit-code", "command"] },
  torsocks: {},
  proxychains4: { short: "f" },
  npx: { short: "pc", long: ["package", "call"] },
  bunx: { short: "p", long: ["package"] },
  xargs: {
    short: "IELdnPsa",
    long: ["replace", "max-args", "max-procs", "delimiter", "arg-file", "max-lines", "max-chars"],
    adapt: appendInput,
    fill: fillInput,
    check: checkXargs,
  },
  parallel: {
    short: "jIaNnSL",
    long: ["jobs", "arg-file", "max-args"],
    adapt: appendInput,
    fill: fillInput,
    check: checkXargs,
  },
};

/** Judges what the wrapper runs; false when the program is no wrapper. */
export function judgeWrapper(name: string, argv: Argument[], scope: Scope, around: Surroundings): boolean {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return false;
  const unwrapped = unwrap(argv, wrapper);
  const isDetached = name === "nohup" || name === "setsid" || name === "systemd-run";
  const inner = isDetached ? { ...around, background: true } : around;
  wrapper.check?.(unwrapped, scope, inner);
  for (const { value } of unwrapped.assignments) checkAssignment(value?.split("=", 1)[0] ?? "", scope);
  const isLookup = name === "command" && unwrapped.options.some((option) => hasShort(option, "vV"));
  const rest = wrapper.adapt?.(unwrapped) ?? unwrapped.rest;
  if (rest.length > 0 && !isLookup) scope.judgeArgv(rest, scope, inner);
  if (rest.length > 0) judgeFilled(wrapper, unwrapped, scope, inner);
  if (name === "flock" || name === "npx") judgeCodeOption(unwrapped, scope);
  return true;
}

function judgeFilled(wrapper: Wrapper, unwrapped: Unwrapped, scope: Scope, around: Surroundings): void {
  if (wrapper.fill === undefined || around.input === undefined) return;
  for (const filled of wrapper.fill(unwrapped, around.input))
    scope.judgeArgv(filled, scope, { ...around, input: undefined });
}

function checkSudo({ options, rest }: Unwrapped, scope: Scope): void {
  if (options.some((option) => isLong(option, "stdin") || hasShort(option, "S")))
    scope.findings.refuse("sudo password from input", "a password in a command line can be read by others");
  const isPrivilege = options.some((option) => isLong(option, "askpass") || hasShort(option, "A"));
  const isShell =
    rest.length === 0 &&
    options.some((option) => hasShort(option, "si") || isLong(option, "shell") || isLong(option, "login"));
  if (isPrivilege || isShell)
    scope.findings.ask("sudo with privilege flag", "feeds sudo a password, or opens a shell as another user");
  if (!options.some((option) => hasShort(option, "e") || isLong(option, "edit"))) return;
  for (const file of rest) checkWrite(file, "overwrite system config", scope);
}

function checkEnv({ options, rest }: Unwrapped, scope: Scope, around: Surroundings): void {
  const text = optionValue(options, "S", "split-string");
  if (text === undefined) return;
  scope.findings.ask("env -S", "splits a text into a command only when it runs");
  if (text.value === undefined) return;
  scope.judgeArgv([literal("env"), ...splitString(text.value).map(literal), ...rest], scope, around);
}

function checkTrace({ options }: Unwrapped, scope: Scope, around: Surroundings): void {
  attachCheck(options, scope, around);
  const target = optionValue(options, "o", "output");
  if (target !== undefined) checkWrite(target, "overwrite system config", scope);
}

function checkXargs({ rest }: Unwrapped, { findings }: Scope): void {
  if (rest.some((word) => /^(?:.*\/)?(?:rm|unlink|shred)$/.test(word.value ?? ""))) {
    const isCommand = /^(?:.*\/)?(?:rm|unlink|shred|sudo|doas|env|nice|nohup|command|timeout)$/.test(
      rest[0]?.value ?? "",
    );
    if (isCommand) findings.ask("xargs with rm", "removes whatever it is given");
  }
}

/** what xargs adds is not known before; with -I it stands wherever the mark is */
function appendInput({ options, rest }: Unwrapped): Argument[] {
  if (rest.length === 0) return [];
  const mark = optionValue(options, "I", "replace")?.value ?? "{}";
  const words = rest.map((word) => (word.value?.includes(mark) === true ? unknownArgument(word.text) : word));
  return [...words, unknownArgument("what it is given")];
}

const maximumFilled = 20;

/** the same with the words that the input is known to hold */
function fillInput({ options, rest }: Unwrapped, input: string): Argument[][] {
  const mark = optionValue(options, "I", "replace")?.value;
  const bare = (text: string): string => text.replace(/["'\\]/g, "");
  if (mark === undefined) {
    const words = input.split(/[\s\0]+/).filter((word) => word !== "");
    return [[...rest, ...words.slice(0, 200).map((word) => literal(bare(word)))]];
  }
  const lines = input.split(/[\n\0]/).filter((line) => line !== "");
  return lines
    .slice(0, maximumFilled)
    .map((line) =>
      rest.map((word) =>
        word.value === undefined ? word : { ...word, value: word.value.replaceAll(mark, () => bare(line.trim())) },
      ),
    );
}

function judgeCodeOption({ options }: Unwrapped, scope: Scope): void {
  const code = optionValue(options, "c", "command") ?? optionValue(options, "c", "call");
  if (code !== undefined) judgeText(code, scope);
}
