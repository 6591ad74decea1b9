import { stripVTControlCharacters } from "node:util";
import type { World } from "./world.ts";

/** The executable in a pseudo-terminal, as a person has it. */
export interface TerminalSession extends AsyncDisposable {
  pid: number;
  /** types characters as they are; the return key is \r */
  type(text: string): void;
  /** resolves when this was shown after what an earlier call waited for; with all that was shown between */
  shows(text: string | RegExp): Promise<string>;
  /** everything shown so far, without the codes for colors and cursor */
  screen(): string;
  /** everything shown so far, byte for byte */
  raw(): string;
  kill(signal: NodeJS.Signals): void;
  /** the exit code */
  ended: Promise<number>;
}

export const keys = { enter: "\r", controlC: "\u0003", controlD: "\u0004" } as const;

const limitMs = 30_000;

export function openTerminal(world: World, args: string[], env: Record<string, string> = {}): TerminalSession {
  const decoder = new TextDecoder();
  const watchers = new Set<() => void>();
  let raw = "";
  let position = 0;
  const screen = (): string => stripVTControlCharacters(raw).replaceAll("\r", "");
  const child = Bun.spawn([world.executable, ...args], {
    cwd: world.cwd,
    env: { ...world.environment, TERM: "xterm-256color", ...env },
    terminal: {
      cols: 100,
      rows: 40,
      data(_, bytes) {
        raw += decoder.decode(bytes, { stream: true });
        for (const look of watchers) look();
      },
    },
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const { terminal } = child;
  if (terminal === undefined) throw new Error("this system gives no pseudo-terminal");
  const shows = (text: string | RegExp): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = (): void => {
      const rest = screen().slice(position);
      const match = typeof text === "string" ? rest.indexOf(text) : rest.search(text);
      if (match === -1) return;
      const length = typeof text === "string" ? text.length : (text.exec(rest)?.[0].length ?? 0);
      watchers.delete(look);
      position += match + length;
      resolve(rest.slice(0, match + length));
    };
    watchers.add(look);
    look();
    const fail = (code: number): void => {
      look();
      reject(new Error(`the chat ended with ${code} before it showed ${String(text)}:\n${screen()}`));
    };
    void child.exited.then(fail);
    return promise;
  };
  return {
    pid: child.pid,
    type: (text) => void terminal.write(text),
    shows,
    screen,
    raw: () => raw,
    kill: (signal) => child.kill(signal),
    ended: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      terminal.close();
    },
  };
}
