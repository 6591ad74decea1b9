import { parse } from "unbash";
import { errorMessage } from "../../base/errors.ts";
import type { CommandVerdict, Place } from "../types.ts";
import { createFindings, type Findings } from "./findings.ts";
import { checkCharacters, maximumLength, readings } from "./normalize.ts";
import { scanPlainText, scanTexts } from "./plain-scan.ts";
import { judgeProgram } from "./program.ts";
import { maximumDepth, type Scope } from "./scope.ts";
import { walkScript } from "./walk.ts";

/** commands and files of one command line */
const maximumSteps = 2000;

/** more brackets are not parsed: nobody writes them, and reading them takes long */
const maximumBrackets = 2000;

/**
 * Judges a bash command line before it runs.
 * `refuse`: on the hardline list, never runs in any mode. `ask`: dangerous, or not readable with certainty. `safe`: runs.
 * A filter for prompts, not a sandbox: what a script file does is not seen. Never throws, always returns.
 * @param place where the command would start
 */
export function judgeCommand(command: string, place: Place): CommandVerdict {
  const findings = createFindings();
  checkCharacters(command, findings);
  const isTangled = (command.match(/[([{`]/g) ?? []).length > maximumBrackets;
  if (isTangled) findings.ask("unparsed command", "holds too many brackets to be judged");
  if (isTangled || command.length > maximumLength) {
    scanPlainText(command, findings);
    return findings.result();
  }
  for (const reading of readings(command)) judgeReading(reading, place, findings);
  return findings.result();
}

function judgeReading(command: string, place: Place, findings: Findings): void {
  const scope: Scope = {
    findings,
    place,
    depth: 0,
    steps: { left: maximumSteps },
    madeExecutable: new Set(),
    variables: new Map(),
    realPaths: new Map(),
    judgeCode,
    judgeArgv: judgeProgram,
  };
  scanTexts(command, findings);
  judgeCode(command, scope);
}

/** Judges one text as a command line; a text inside another one is one level deeper. */
function judgeCode(code: string, outer: Scope): void {
  const { findings } = outer;
  if (outer.depth > maximumDepth) {
    findings.ask("nested too deep", "commands inside commands, too deep to be judged");
    scanPlainText(code, findings);
    return;
  }
  const scope: Scope = { ...outer, depth: outer.depth + 1 };
  try {
    walkScript(parse(code), code, scope);
  } catch (error) {
    // a fault of the parser or the rules must never let a command pass
    findings.ask("unparsed command", `cannot be judged: ${errorMessage(error)}`);
  }
  const isUnparsed = findings.result().findings.some(({ key }) => key === "unparsed command");
  if (isUnparsed) scanPlainText(code, findings);
}
