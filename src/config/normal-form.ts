import { isRecord } from "../base/json.ts";

type Raw = Record<string, unknown>;

/** Older ways to write settings, brought to the present one. Nothing that is set is overridden. */
export function toNormalForm(raw: Raw): Raw {
  const result: Raw = { ...raw };
  normalizeModel(result);
  moveIntoGroup(result, { from: "max_turns", group: "agent", to: "max_turns" });
  normalizeTerminal(result);
  const { checkpoints } = result;
  if (typeof checkpoints === "boolean") result["checkpoints"] = { enabled: checkpoints };
  return result;
}

function normalizeModel(result: Raw): void {
  const { model } = result;
  if (typeof model === "string") result["model"] = { default: model };
  if (isRecord(model) && "model" in model) {
    const { model: name, ...rest } = model;
    result["model"] = isSet(rest["default"]) ? rest : { ...rest, default: name };
  }
  for (const name of ["provider", "base_url"]) moveIntoGroup(result, { from: name, group: "model", to: name });
}

/** `terminal.env_type` is the old name of `terminal.backend`. */
function normalizeTerminal(result: Raw): void {
  const { terminal } = result;
  if (!isRecord(terminal) || !("env_type" in terminal)) return;
  const { env_type: old, ...rest } = terminal;
  result["terminal"] = isSet(rest["backend"]) ? rest : { ...rest, backend: old };
}

function moveIntoGroup(result: Raw, move: { from: string; group: string; to: string }): void {
  if (!(move.from in result)) return;
  const value = result[move.from];
  Reflect.deleteProperty(result, move.from);
  const group = result[move.group];
  if (isRecord(group)) {
    if (!isSet(group[move.to])) result[move.group] = { ...group, [move.to]: value };
  } else if (group === undefined || group === null) {
    result[move.group] = { [move.to]: value };
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
