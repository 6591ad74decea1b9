/** How one command ended. */
export interface CommandResult {
  /** 124 after a timeout, 130 after an interrupt, 128+n after signal n */
  exitCode: number;
  /** stdout and stderr as they came, decoded as UTF-8 with U+FFFD for invalid bytes */
  output: string;
  timedOut: boolean;
  /** the caller's signal fired and the process group was killed */
  interrupted?: boolean;
  /** characters dropped from the middle because the output was longer than the caller's cap */
  droppedChars: number;
  /** where in `output` the dropped characters were, in UTF-16 units; undefined when nothing was dropped */
  droppedAt?: number;
  /** the working directory after the command, when it is known */
  cwd?: string;
}

export interface CommandOptions {
  cwd: string;
  timeoutMs: number;
  env: Record<string, string>;
  stdin?: string;
  /** output kept at most; the head and the tail are kept */
  maxChars: number;
  onOutput?(text: string): void;
}

/** A command that runs on while the turn goes on. */
export interface BackgroundCommand {
  pid: number;
  /** resolves with the exit code */
  exited: Promise<number>;
  write(data: string): Promise<void>;
  closeInput(): void;
  kill(): Promise<void>;
}

/** Where commands run. Local by default; containers and remote hosts are other implementations. */
export interface TerminalBackend {
  id: string;
  /**
   * Runs one command to its end. An interrupt or a timeout kills the whole process group and keeps the output so far.
   * @throws {ToolError} E_TERMINAL_START when it could not be started, E_TERMINAL_COMMAND when no shell could take it
   */
  run(command: string, options: CommandOptions, signal: AbortSignal): Promise<CommandResult>;
  start(command: string, options: Omit<CommandOptions, "timeoutMs" | "maxChars">): Promise<BackgroundCommand>;
}
