import { hasShort, isLong, operands, optionValue, optionWords } from "./options.ts";
import type { Rule } from "./rule.ts";

/** Reading or writing the memory of a running process, the agent's own among them. */
const debuggerRule =
  (scripted: boolean): Rule =>
  (argv, { findings }) => {
    const attaches =
      optionValue(argv, "p", "pid") !== undefined ||
      argv.some((word) => word.value === undefined) ||
      (scripted && /^\d+$/.test(operands(argv)[1]?.value ?? ""));
    const runs = argv.some((word) =>
      /^\s*(?:shell|!|python|call|attach|source|pipe)\b|^!|\bsystem\(/.test(word.value ?? ""),
    );
    if (attaches) findings.ask("attach to a process", "reads or changes the memory of a running process");
    if (scripted && runs) findings.ask("script execution via -e/-c flag", "a debugger runs what it is given");
  };

export const attachCheck: Rule = debuggerRule(false);

const always =
  (key: string, description: string): Rule =>
  (argv, { findings }) => {
    if (!argv.some((word) => /^(?:--help|--version|-V)$/.test(word.value ?? ""))) findings.ask(key, description);
  };

const attach = always("attach to a process", "reads or changes the memory of a running process");
const account = always("change of accounts", "changes who may use this machine");
const kernel = always("change of the running system", "changes what the kernel does");

const skill: Rule = (argv, { findings }) => {
  if (!argv.some((word) => hasShort(word, "lLn"))) findings.ask("force kill processes", "signals processes by name");
};

const fuser: Rule = (argv, { findings }) => {
  if (optionWords(argv).some((word) => hasShort(word, "k") || isLong(word, "kill")))
    findings.ask("force kill processes", "kills every process that uses these files");
};

const sysctl: Rule = (argv, scope, around) => {
  const writes = argv.some(
    (word) => hasShort(word, "wpf") || isLong(word, "write") || word.value?.includes("=") === true,
  );
  if (writes) kernel(argv, scope, around);
};

const modprobe: Rule = (argv, scope, around) => {
  if (!argv.some((word) => hasShort(word, "nD") || isLong(word, "dry-run"))) kernel(argv, scope, around);
};

const kexec: Rule = (argv, scope, around) => {
  const starts = optionWords(argv).some((word) => hasShort(word, "e") || isLong(word, "exec"));
  if (starts) scope.findings.refuse("system shutdown", "starts another kernel at once");
  else kernel(argv, scope, around);
};

const loginctl: Rule = (argv, { findings }) => {
  const action = operands(argv)[0]?.value ?? "list";
  if (/^(?:poweroff|reboot|halt|suspend|hibernate)$/.test(action))
    findings.refuse("system shutdown", `loginctl ${action}`);
  else if (/^(?:terminate|kill)-/.test(action)) findings.ask("force kill processes", "ends sessions with all they run");
};

export const machineRules: Record<string, Rule> = {
  gdb: debuggerRule(true),
  lldb: debuggerRule(true),
  gcore: attach,
  reptyr: attach,
  skill,
  snice: skill,
  fuser,
  sysctl,
  modprobe,
  insmod: kernel,
  rmmod: kernel,
  kexec,
  loginctl,
  userdel: account,
  useradd: account,
  usermod: account,
  groupdel: account,
  deluser: account,
  adduser: account,
  passwd: account,
  chpasswd: account,
  visudo: account,
  chsh: account,
};
