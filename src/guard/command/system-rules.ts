import { type Argument, literal } from "./argument.ts";
import { hasShort, isLong, isOption, operands, optionWords } from "./options.ts";
import type { Rule } from "./rule.ts";

const ownProcess = /hermes|gateway|cli\.py/i;

const shutdownAction = /^(?:poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/i;
const stoppingAction =
  /^(?:stop|disable|mask|restart|try-restart|reload-or-restart|kill|isolate|suspend|hibernate|daemon-reexec|set-default|edit|revert)$/i;

const systemctl: Rule = (argv, { findings }) => {
  for (const { value, text } of operands(argv)) {
    if (value === undefined) findings.ask("unknown options", `what ${text} is, is known only when it runs`);
    else if (shutdownAction.test(value)) findings.refuse("system shutdown", `systemctl ${value}`);
    else if (stoppingAction.test(value)) {
      findings.ask("stop/disable system service", `systemctl ${value} changes what runs on this machine`);
    }
  }
};

const service: Rule = (argv, { findings }) => {
  if (argv.some((word) => word.value === undefined || /^(?:stop|restart|force-reload)$/.test(word.value))) {
    findings.ask("stop/disable system service", "stops a service of this machine");
  }
};

const launchctl: Rule = (argv, { findings }) => {
  if (/^(?:unload|bootout|disable|remove|kill|stop|reboot)$/.test(operands(argv)[0]?.value ?? "reboot")) {
    findings.ask("stop/disable system service", "stops a service of this machine");
  }
};

const shutdown: Rule = (argv, { findings }) => {
  if (argv.some((word) => word.value === "-c" || word.value === "--help")) return;
  findings.refuse("system shutdown", "stops or restarts this machine");
};

const init: Rule = (argv, { findings }) => {
  const level = operands(argv)[0];
  if (level?.value === "0" || level?.value === "6")
    findings.refuse("system shutdown", "stops or restarts this machine");
  else if (level !== undefined) findings.ask("stop/disable system service", "changes the run level of this machine");
};

const kill: Rule = (argv, { findings }) => {
  const targets = processes(argv);
  if (targets.some((word) => word.value !== undefined && /^-0*1$/.test(word.value))) {
    findings.refuse("kill all processes", "kills every process of the user");
  }
  for (const target of targets) {
    if (target.value === "1") findings.ask("kill all processes", "signals the first process of the system");
    // the command's own last background job
    if (target.value !== undefined || /^"?\$!"?$/.test(target.text)) continue;
    const isSearch = /\b(?:pgrep|pidof|pkill|ps)\b/.test(target.text);
    findings.ask(
      isSearch ? "kill via pgrep expansion" : "kill of an unknown process",
      `kills ${target.text}, known only when it runs`,
    );
  }
};

/** The words of `kill` that name processes; a first `-1` followed by a process is a signal. */
function processes(argv: Argument[]): Argument[] {
  if (argv.some((word) => word.value === "-l" || word.value === "-L")) return [];
  const [first, ...rest] = argv;
  const value = first?.value;
  if (first === undefined) return [];
  const dropSeparator = (words: Argument[]): Argument[] => words.filter((word) => word.value !== "--");
  if (value === "-s" || value === "-n") return dropSeparator(rest.slice(1));
  if (value !== undefined && isLong(first, "signal")) return dropSeparator(value.includes("=") ? rest : rest.slice(1));
  if (value !== undefined && value !== "--" && value.startsWith("-") && dropSeparator(rest).length > 0)
    return dropSeparator(rest);
  return dropSeparator(argv);
}

const isKillSignal = (argv: Argument[]): boolean =>
  optionWords(argv).some(
    (word) =>
      /^-(?:9|(?:SIG)?KILL|s(?:9|(?:SIG)?KILL))$/i.test(word.value ?? "") ||
      /^--signal=(?:9|(?:SIG)?KILL)$/i.test(word.value ?? ""),
  ) ||
  argv.some(
    (word, index) =>
      /^(?:-s|--signal)$/.test(word.value ?? "") && /^(?:9|(?:SIG)?KILL)$/i.test(argv[index + 1]?.value ?? ""),
  );

const killByName =
  (program: "pkill" | "killall"): Rule =>
  (argv, { findings }) => {
    if (isKillSignal(argv)) {
      const key = program === "pkill" ? "force kill processes" : "force kill (killall -KILL, -r)";
      findings.ask(key, "kills processes by name, without letting them clean up");
    }
    if (
      program === "killall" &&
      optionWords(argv).some((word) => hasShort(word, "r") && word.value?.startsWith("--") !== true)
    ) {
      findings.ask("force kill (killall -KILL, -r)", "kills every process whose name matches a pattern");
    }
    if (argv.some((word) => word.value !== undefined && ownProcess.test(word.value))) {
      findings.ask("kill hermes/gateway process (self-termination)", "would stop hermes itself");
    }
    if (argv.some((word) => word.value === undefined)) {
      findings.ask("kill of an unknown process", "which processes it kills is known only when it runs");
    }
  };

const crontab: Rule = (argv, { findings }) => {
  if (optionWords(argv).some((word) => hasShort(word, "r")))
    findings.ask("crontab removal", "removes every scheduled job of the user");
  else if (!optionWords(argv).some((word) => hasShort(word, "l")))
    findings.ask("crontab change", "replaces the scheduled jobs of the user");
};

const firewall: Rule = (argv, { findings }) => {
  if (
    argv.some(
      (word) =>
        word.value === undefined ||
        /^(?:-F|-X|-P|-Z|-D|--flush|--delete.*|--policy|flush|disable|reset|delete)$/.test(word.value),
    )
  ) {
    findings.ask("firewall change", "opens or resets the firewall");
  }
};

const dockerGroups =
  /^(?:compose|container|image|volume|network|system|builder|buildx|service|stack|node|swarm|context|pod)$/;
const dockerEnding = /^(?:stop|kill|rm|rmi|remove|prune|down|restart|pause|leave)$/;

const docker: Rule = (argv, { findings }) => {
  const words = operands(argv);
  const [first] = words;
  // the options of a group may have values, so its action is looked for among all words before the container's own
  const actions = first?.value !== undefined && dockerGroups.test(first.value) ? words.slice(1) : words.slice(0, 1);
  const isHidden = first !== undefined && first.value === undefined;
  if (
    isHidden ||
    actions.some((word) => dockerEnding.test(word.value ?? "")) ||
    (argv[0]?.value?.startsWith("-") === true && words.some((word) => dockerEnding.test(word.value ?? "")))
  ) {
    findings.ask("docker and compose lifecycle", "stops or removes containers, images or volumes");
  }
  const mountsHost = argv.some((word, index) => {
    const before = argv[index - 1]?.value;
    const mount = /^(?:-v|--volume)$/.test(before ?? "")
      ? word.value
      : /^(?:-v|--volume=)(.*)/.exec(word.value ?? "")?.[1];
    return mount !== undefined && /^(?:\/|\/etc|\/root|\/home|\/var\/run\/docker\.sock):/.test(mount);
  });
  if (mountsHost || argv.some((word) => word.value === "--privileged" || word.value === "--pid=host")) {
    findings.ask("container with rights on the host", "the container can change this machine");
  }
};

const hermes: Rule = (argv, { findings }, { background }) => {
  const [command, action] = operands(argv).map((word) => word.value ?? "?");
  if (command === "gateway" && background && (action === "run" || action === undefined)) {
    findings.ask("start gateway outside systemd", "starts a gateway that nothing watches");
  } else if (command === "gateway" && /^(?:stop|restart|uninstall|install|\?)$/.test(action ?? "")) {
    findings.ask("stop/restart hermes gateway", "would stop hermes itself");
  } else if (command === "update" || command === "uninstall") findings.ask("hermes update", "replaces hermes itself");
  else if (
    command === "?" ||
    /^(?:config|auth|pairing|plugins)$/.test(command ?? "") ||
    argv.some((word) => isLong(word, "yolo"))
  ) {
    findings.ask("change of hermes settings", "changes what the agent may do");
  }
};

const gateway: Rule = (argv, scope, around) => hermes([literal("gateway"), ...argv], scope, around);

const windowsDelete: Rule = (argv, { findings }) => {
  if (argv.some((word) => word.value !== undefined && /^(?:\/[sfq]|-recurse|-force)$/i.test(word.value))) {
    findings.ask("recursive delete", "removes files without asking");
  }
};

const network: Rule = (argv, { findings }) => {
  const runs = argv.some(
    (word) =>
      /^(?:-[a-z]*[ec]|--exec|--sh-exec)$/i.test(word.value ?? "") || /\b(?:EXEC|SYSTEM):/i.test(word.value ?? ""),
  );
  if (runs) findings.ask("shell over the network", "connects a program to the network");
};

const shellOptions: Rule = (argv, { findings }) => {
  const risky = argv.some((word) => word.value === undefined || /^(?:expand_aliases|-f|-p)$/.test(word.value));
  if (risky) findings.ask("change of what commands mean", "makes later names mean something else");
};

const callback: Rule = (argv, { findings }) => {
  if (argv.some((word) => isOption(word) && /^-[A-Za-z]*[CxF]/.test(word.value ?? ""))) {
    findings.ask("code kept for later", "stores a command that bash runs later");
  }
};

export const systemRules: Record<string, Rule> = {
  systemctl,
  service,
  launchctl,
  shutdown,
  reboot: shutdown,
  halt: shutdown,
  poweroff: shutdown,
  init,
  telinit: init,
  kill,
  pkill: killByName("pkill"),
  killall: killByName("killall"),
  killall5: (_argv, { findings }) => findings.refuse("kill all processes", "kills every process"),
  crontab,
  iptables: firewall,
  ip6tables: firewall,
  nft: firewall,
  ufw: firewall,
  docker,
  podman: docker,
  "docker-compose": (argv, scope, around) => docker([literal("compose"), ...argv], scope, around),
  hermes,
  gateway,
  "remove-item": windowsDelete,
  del: windowsDelete,
  erase: windowsDelete,
  rd: windowsDelete,
  nc: network,
  ncat: network,
  netcat: network,
  socat: network,
  shopt: shellOptions,
  enable: shellOptions,
  hash: shellOptions,
  complete: callback,
  compgen: callback,
  bind: callback,
  mapfile: callback,
  readarray: callback,
};
