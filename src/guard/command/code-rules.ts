import { type Argument, literal, unknownArgument } from "./argument.ts";
import { optionValue, unwrap, type WrapperTable } from "./options.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { judgeTail } from "./tail.ts";

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

/** `tmux new 'command'`, `screen -X stuff 'command'`: whatever has more than one word may be run */
const texts: Rule = (argv, scope, around) => {
  judgeTail("", argv, scope, around);
  for (const word of argv) if (word.value === undefined || /\s/.test(word.value)) judgeText(word, scope);
};

/** a makefile that nobody can look at */
const makefile: Rule = (argv, scope) => {
  const file = optionValue(argv, "f", "file") ?? optionValue(argv, "f", "makefile");
  const isInput =
    file !== undefined && /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/.test(file.value ?? "-");
  if (isInput) scope.findings.ask("script execution via heredoc", "make runs the recipes it is given");
  if (optionValue(argv, "", "eval") !== undefined)
    scope.findings.ask("script execution via -e/-c flag", "make runs the text it is given");
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
  su: runsOption("c", "command"),
  runuser: (argv, scope, around) => {
    const { options, rest } = unwrap(argv, {
      short: "ugGcs",
      long: ["user", "group", "supp-group", "command", "shell"],
    });
    if (optionValue(options, "u", "user") !== undefined) scope.judgeArgv(rest, scope, around);
    else runsOption("c", "command")(argv, scope, around);
  },
  tmux: texts,
  screen: texts,
  make: makefile,
  gmake: makefile,
  script: runsOption("c", "command"),
  at: later,
  batch: later,
  ...Object.fromEntries(Object.keys(runners).map((name) => [name, runner(name)])),
};
