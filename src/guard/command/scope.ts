import type { Redirection } from "unbash";
import { realPath } from "../path-classes.ts";
import type { Place } from "../types.ts";
import type { Argument } from "./argument.ts";
import type { Findings } from "./findings.ts";

/** What a variable may hold, as far as the command line itself says. */
export interface KnownValue {
  /** one of these: values of branches, or of the rounds of a loop */
  alternatives: string[];
  /** the elements of an array */
  elements?: string[];
}

/** What one command line shares between its parts while it is judged. */
export interface Scope {
  findings: Findings;
  /** `cwd` follows `cd` */
  place: Place;
  /** how many code strings deep, at most {@link maximumDepth} */
  depth: number;
  /** how many more commands and files are looked at; a command line with more needs approval */
  steps: { left: number };
  /** files that an earlier command made executable */
  madeExecutable: Set<string>;
  /** what earlier parts of the command line gave variables */
  variables: Map<string, KnownValue>;
  /** where words lead as paths, by directory and word: asked again for each wrapper around them */
  realPaths: Map<string, string>;
  /** judges a code string as a command line of its own */
  judgeCode(code: string, scope: Scope): void;
  /** judges one command by its words */
  judgeArgv(argv: Argument[], scope: Scope, around: Surroundings): void;
}

/** What surrounds one simple command. */
export interface Surroundings {
  /** its input comes from another command; the text of that side of the pipe, "" when it is a heredoc of a group */
  pipedFrom: string | undefined;
  /** its input, when the command line itself says what it is */
  input: string | undefined;
  background: boolean;
  redirects: readonly Redirection[];
  /** how many wrappers were taken off */
  wrapped: number;
  /** these are the last words of another command, which may run them */
  isTail?: boolean;
}

/** Where a word leads as a path, with links followed. */
export function scopedRealPath(value: string, { place, realPaths }: Scope): string {
  const key = `${place.cwd}\0${value}`;
  const path = realPaths.get(key) ?? realPath(value, place);
  realPaths.set(key, path);
  return path;
}

export const maximumDepth = 4;

export const maximumWrappers = 20;

/** Takes one step; false, with a finding, when there were too many. */
export function takeStep({ steps, findings }: Scope): boolean {
  steps.left -= 1;
  if (steps.left >= 0) return true;
  findings.ask("nested too deep", "holds too many commands to be judged");
  return false;
}
