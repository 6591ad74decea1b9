import { type CommandVerdict, judgeCommand, type Place } from "../../src/guard/index.ts";

/** A place that exists on no machine, so that no link is followed. */
export const place: Place = { cwd: "/work-of-ana/project", home: "/home-of-ana/.hermes", userHome: "/home-of-ana" };

export const judge = (command: string, where: Place = place): CommandVerdict => judgeCommand(command, where);
export const keysOf = (command: string): string[] => judge(command).findings.map(({ key }) => key);
