import type { Assignment, For, ParameterExpansionPart, Select, Word, WordPart } from "unbash";
import { type Argument, expandHome, homeVariable } from "./argument.ts";
import { echoedText } from "./known-output.ts";
import type { KnownValue, Scope } from "./scope.ts";

const maximumVariables = 100;
const maximumAlternatives = 16;
const longestValue = 4000;

/** Remembers what an assignment gives; one that may not happen adds to what was known. */
export function recordAssignment(node: Assignment, isConditional: boolean, scope: Scope): void {
  if (node.index !== undefined) return;
  const before = scope.variables.get(node.name)?.alternatives ?? [];
  if (node.value.type === "ArrayValue") {
    const elements = node.value.elements.flatMap((word) => wordFields(word, 0, scope)).map(({ value }) => value ?? "");
    recordValue(node.name, { alternatives: elements.slice(0, 1), elements }, scope);
    return;
  }
  const word = node.value;
  const count = alternativeCount([word], scope);
  const values = Array.from({ length: count }, (_, index) => singleValue(word, index, scope)).filter(
    (value) => value !== undefined,
  );
  const added =
    node.append === true
      ? values.flatMap((value) => (before.length > 0 ? before : [""]).map((start) => start + value))
      : values;
  recordValue(node.name, { alternatives: [...(isConditional ? before : []), ...added] }, scope);
}

export function recordLoop(node: For | Select, scope: Scope): void {
  const words = (node.wordlist ?? []).flatMap((word) => wordFields(word, 0, scope));
  recordValue(
    node.name.value,
    { alternatives: words.flatMap(({ value }) => (value === undefined ? [] : [value])) },
    scope,
  );
}

export function recordValue(name: string, known: KnownValue, { variables }: Scope): void {
  const alternatives = [...new Set(known.alternatives)]
    .filter((value) => value.length <= longestValue)
    .slice(-maximumAlternatives);
  if (alternatives.length === 0 && known.elements === undefined) variables.delete(name);
  else if (variables.size < maximumVariables) variables.set(name, { ...known, alternatives });
}

/** How many alternatives the words together have; 1 when none of their variables is known. */
export function alternativeCount(words: readonly Word[], scope: Scope): number {
  let count = 1;
  for (const part of words.flatMap((word) => word.parts ?? []).flatMap(flatten)) {
    const name =
      part.type === "SimpleExpansion" ? part.text.slice(1) : part.type === "ParameterExpansion" ? part.parameter : "";
    count = Math.max(count, scope.variables.get(name)?.alternatives.length ?? 1);
  }
  return count;
}

const flatten = (part: WordPart): WordPart[] =>
  part.type === "DoubleQuoted" || part.type === "LocaleString" ? [...part.parts] : [part];

/** The words that bash makes of one word, with the values that are known filled in. */
export function wordFields(word: Word, alternative: number, scope: Scope): Argument[] {
  const fields = new Fields(word.text);
  if (word.parts === undefined) fields.add(word.value);
  for (const part of word.parts ?? []) addPart(part, fields, alternative, scope);
  return fields
    .done()
    .map((field) =>
      word.text.startsWith("~") && field.value !== undefined
        ? { ...field, value: expandHome(field.value, scope.place) }
        : field,
    );
}

function singleValue(word: Word, alternative: number, scope: Scope): string | undefined {
  const fields = wordFields(word, alternative, scope);
  return fields.some(({ value }) => value === undefined) ? undefined : fields.map(({ value }) => value).join(" ");
}

function addPart(part: WordPart, fields: Fields, alternative: number, scope: Scope): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      fields.add(part.value);
      break;
    case "Glob":
    case "ExtendedGlob":
      fields.add(part.text, true);
      break;
    case "DoubleQuoted":
    case "LocaleString":
      for (const child of part.parts) addQuoted(child, fields, alternative, scope);
      if (part.parts.length === 0) fields.add("");
      break;
    default:
      fields.addSplit(arrayElements(part, scope)?.join(" ") ?? expansionValue(part, alternative, scope));
  }
}

function addQuoted(part: WordPart, fields: Fields, alternative: number, scope: Scope): void {
  const elements = arrayElements(part, scope);
  if (part.type === "Literal") fields.add(part.value);
  else if (elements !== undefined) fields.addEach(elements);
  else fields.add(expansionValue(part, alternative, scope));
}

function arrayElements(part: WordPart, { variables }: Scope): string[] | undefined {
  if (part.type === "SimpleExpansion" && /^\$[@*]$/.test(part.text)) return variables.get("@")?.elements;
  if (part.type !== "ParameterExpansion" || !/^[@*]$/.test(part.index?.value ?? "")) return undefined;
  return part.prefix === undefined && part.operation === undefined
    ? variables.get(part.parameter)?.elements
    : undefined;
}

function expansionValue(part: WordPart, alternative: number, scope: Scope): string | undefined {
  if (part.type === "SimpleExpansion") return variableValue(part.text.slice(1), alternative, scope);
  if (part.type === "ParameterExpansion") return parameterValue(part, alternative, scope);
  if (part.type === "CommandExpansion" && part.script !== undefined)
    return echoedText(part.script, (word) => wordFields(word, 0, scope))?.replace(/\n+$/, "");
  return undefined;
}

function parameterValue(part: ParameterExpansionPart, alternative: number, scope: Scope): string | undefined {
  if (part.prefix !== undefined) return undefined;
  const index = part.index?.value;
  if (index !== undefined) return scope.variables.get(part.parameter)?.elements?.[Number(index)];
  const value = variableValue(part.parameter, alternative, scope);
  if (part.operation === undefined) return value;
  if (part.operation.type !== "Default") return undefined;
  const { operator, operand } = part.operation;
  return operator.includes("+")
    ? singleValue(operand, alternative, scope)
    : (value ?? singleValue(operand, alternative, scope));
}

function variableValue(name: string, alternative: number, { place, variables }: Scope): string | undefined {
  const known = variables.get(name);
  if (known !== undefined) return known.alternatives[alternative % known.alternatives.length];
  if (/^[1-9]$/.test(name)) return variables.get("@")?.elements?.[Number(name) - 1];
  return homeVariable(name, place);
}

/** Collects the words that one word is split into. */
class Fields {
  readonly #text: string;
  readonly #finished: Argument[] = [];
  #current: Argument | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  add(value: string | undefined, glob = false): void {
    const before = this.#current ?? { text: this.#text, value: "", glob: false };
    const isKnown = value !== undefined && before.value !== undefined;
    this.#current = { text: this.#text, value: isKnown ? before.value + value : undefined, glob: before.glob || glob };
  }

  addSplit(value: string | undefined): void {
    if (value === undefined) {
      this.add(undefined);
      return;
    }
    value.split(/[ \t\n]+/).forEach((piece, index) => {
      if (index > 0) this.#finish();
      if (piece !== "") this.add(piece, /[*?[]/.test(piece));
    });
  }

  addEach(values: readonly string[]): void {
    values.forEach((value, index) => {
      if (index > 0) this.#finish();
      this.add(value);
    });
  }

  done(): Argument[] {
    this.#finish();
    return this.#finished;
  }

  #finish(): void {
    if (this.#current !== undefined) this.#finished.push(this.#current);
    this.#current = undefined;
  }
}
