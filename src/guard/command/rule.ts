import type { Argument } from "./argument.ts";
import type { Scope, Surroundings } from "./scope.ts";

/** Judges the arguments of one program (its name is not among them). */
export type Rule = (argv: Argument[], scope: Scope, around: Surroundings) => void;
