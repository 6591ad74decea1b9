import { type Argument, literal, unknownArgument } from "./argument.ts";
import { checkAssignment } from "./assignments.ts";
import { hasShort, isLong, optionValue, type Unwrapped, unwrap, type WrapperTable } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope, Surroundings } from "./scope.ts";
import { checkWrite } from "./targets.ts";

interface Wrapper extends WrapperTable {
  /** looks at the wrapper's own options */
  check?: (unwrapped: Unwrapped, scope: Scope) => void;
  /** changes what is judged */
  adapt?: (unwrapped: Unwrapped) => Argument[];
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
  strace: { short: "eopsSuEaIXPb", check: checkOutput },
  ltrace: { short: "eopsSuEaIXPb", check: checkOutput },
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
    check: checkXargs,
  },
  parallel: { short: "jIaNnSL", long: ["jobs", "arg-file", "max-args"], adapt: appendInput, check: checkXargs },
};

/** Judges what the wrapper runs; false when the program is no wrapper. */
export function judgeWrapper(name: string, argv: Argument[], scope: Scope, around: Surroundings): boolean {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return false;
  const unwrapped = unwrap(argv, wrapper);
  wrapper.check?.(unwrapped, scope);
  for (const { value } of unwrapped.assignments) checkAssignment(value?.split("=", 1)[0] ?? "", scope);
  const isLookup = name === "command" && unwrapped.options.some((option) => hasShort(option, "vV"));
  const rest = wrapper.adapt?.(unwrapped) ?? unwrapped.rest;
  const isDetached = name === "nohup" || name === "setsid" || name === "systemd-run";
  if (rest.length > 0 && !isLookup) scope.judgeArgv(rest, scope, isDetached ? { ...around, background: true } : around);
  if (name === "flock" || name === "npx") judgeCodeOption(unwrapped, scope);
  return true;
}

function checkSudo({ options, rest }: Unwrapped, scope: Scope): void {
  const isPrivilege = options.some(
    (option) => isLong(option, "stdin") || isLong(option, "askpass") || hasShort(option, "SA"),
  );
  const isShell =
    rest.length === 0 &&
    options.some((option) => hasShort(option, "si") || isLong(option, "shell") || isLong(option, "login"));
  if (isPrivilege || isShell)
    scope.findings.ask("sudo with privilege flag", "feeds sudo a password, or opens a shell as another user");
  if (!options.some((option) => hasShort(option, "e") || isLong(option, "edit"))) return;
  for (const file of rest) checkWrite(file, "overwrite system config", scope);
}

function checkEnv({ options }: Unwrapped, { findings }: Scope): void {
  if (options.some((option) => hasShort(option, "S") || isLong(option, "split-string"))) {
    findings.ask("env -S", "splits a text into a command only when it runs");
  }
}

function checkOutput({ options }: Unwrapped, scope: Scope): void {
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

function judgeCodeOption({ options }: Unwrapped, scope: Scope): void {
  const code = optionValue(options, "c", "command") ?? optionValue(options, "c", "call");
  if (code !== undefined) judgeText(code, scope);
}

/** Judges a code string; one that is not known before it runs needs approval. */
export function judgeText(code: Argument, scope: Scope): void {
  if (code.value === undefined) scope.findings.ask("code known only when it runs", `runs ${code.text} as a command`);
  else scope.judgeCode(code.value, scope);
}

const joined = (words: Argument[]): Argument => {
  const text = words.map((word) => word.text).join(" ");
  return words.some((word) => word.value === undefined)
    ? unknownArgument(text)
    : literal(words.map((word) => word.value).join(" "));
};

const sshOptions = { short: "BbcDEeFIiJLlmOoPpQRSWw" };

const ssh: Rule = (argv, scope) => {
  const first = unwrap(argv, sshOptions);
  const second = unwrap(first.rest.slice(1), sshOptions);
  const options = [...first.options, ...second.options];
  if (
    options.some(
      (option) =>
        option.value === undefined || /(?:proxy|local|knownhosts)command|permitlocalcommand/i.test(option.value),
    )
  ) {
    scope.findings.ask("ssh option that runs a program", "ssh runs a program on this machine");
  }
  if (second.rest.length > 0) judgeText(joined(second.rest), scope);
};

const runsText: Rule = (argv, scope) => {
  if (argv.length > 0) judgeText(joined(argv.filter((word) => word.value !== "--")), scope);
};

const trap: Rule = (argv, scope) => {
  const words = argv[0]?.value === "--" ? argv.slice(1) : argv;
  const code = words[0];
  if (code !== undefined && words.length > 1 && !/^-[lpP]?$/.test(code.value ?? "?")) judgeText(code, scope);
};

const watch: Rule = (argv, scope) => {
  const { rest } = unwrap(argv, { short: "n", long: ["interval"] });
  if (rest.length > 0) judgeText(joined(rest), scope);
};

/** programs that take a command line as text after an option */
const runsOption =
  (short: string, long: string): Rule =>
  (argv, scope, around) => {
    const code = optionValue(argv, short, long);
    if (code !== undefined) judgeText(code, scope);
    else if (around.pipedFrom !== undefined)
      scope.findings.ask("pipe into shell", "what is piped in would run as commands");
  };

const tar: Rule = (argv, { findings }) => {
  const runs = argv.some(
    (word) =>
      word.value !== undefined && /^--(?:to-c|checkpoint-a|use-c|rsh|info-s|new-v)|^-[a-zA-Z]*[IF]/.test(word.value),
  );
  if (runs) findings.ask("archive option that runs a program", "tar runs a program given as an option");
};

/** programs that run another one after a word: the words, and the options with a value that may follow */
const runners: Record<string, { words: RegExp; table: WrapperTable }> = {
  uv: {
    words: /^run$/,
    table: { short: "pCw", long: ["python", "with", "extra", "group", "project", "directory", "env-file"] },
  },
  poetry: { words: /^run$/, table: {} },
  pipenv: { words: /^run$/, table: {} },
  pdm: { words: /^run$/, table: {} },
  hatch: { words: /^run$/, table: {} },
  bundle: { words: /^exec$/, table: {} },
  conda: { words: /^run$/, table: { short: "np", long: ["name", "prefix", "cwd"] } },
  mise: { words: /^(?:exec|x)$/, table: {} },
  direnv: { words: /^exec$/, table: { leading: 1 } },
  npm: { words: /^(?:exec|x)$/, table: { short: "c", long: ["call", "package"] } },
  pnpm: { words: /^(?:exec|dlx)$/, table: { short: "c" } },
  yarn: { words: /^(?:exec|dlx)$/, table: {} },
};

const runner =
  (name: string): Rule =>
  (argv, scope, around) => {
    const known = runners[name];
    const index = argv.findIndex((word) => known?.words.test(word.value ?? "") === true);
    if (known === undefined || index < 0) return;
    const { options, rest } = unwrap(argv.slice(index + 1), known.table);
    const code = name === "npm" ? optionValue(options, "c", "call") : undefined;
    if (code !== undefined) judgeText(code, scope);
    else if (rest.length > 0) scope.judgeArgv(rest, scope, around);
  };

/** `at` and `batch` run their input later */
const later: Rule = (argv, { findings }) => {
  if (!argv.some((word) => /^-[lrdc]/.test(word.value ?? "")))
    findings.ask("code kept for later", "schedules commands to run later");
};

export const codeRules: Record<string, Rule> = {
  eval: runsText,
  ssh,
  trap,
  watch,
  tar,
  su: runsOption("c", "command"),
  runuser: runsOption("c", "command"),
  script: runsOption("c", "command"),
  at: later,
  batch: later,
  ...Object.fromEntries(Object.keys(runners).map((name) => [name, runner(name)])),
};
