import type { ToolCallPart } from "../plugin/message.ts";

/** Calls of one answer that are run; servers refuse more in a request. */
export const maxCallsPerAnswer = 128;

const longest = 64;

/** Names and ids as every server takes them back, ids unique among the calls; a model may have sent anything. */
export function withCleanIdentity(calls: ToolCallPart[]): ToolCallPart[] {
  const taken = new Set<string>();
  return calls.map((call) => ({ ...call, id: uniqueId(cleanId(call.id), taken), name: cleanName(call.name) }));
}

function cleanName(name: string): string {
  const clean = name.slice(0, longest).replace(/[^A-Za-z0-9_-]/g, "_");
  return clean === "" ? "unnamed" : clean;
}

/** Ids of some servers carry dots and colons, which they want back as they were. */
function cleanId(id: string): string {
  const clean = id.slice(0, longest).replace(/[^!-~]/g, "_");
  return clean === "" ? "call" : clean;
}

function uniqueId(id: string, taken: Set<string>): string {
  let candidate = id;
  for (let number = 2; taken.has(candidate); number += 1) {
    const ending = `_${number}`;
    candidate = `${id.slice(0, longest - ending.length)}${ending}`;
  }
  taken.add(candidate);
  return candidate;
}
