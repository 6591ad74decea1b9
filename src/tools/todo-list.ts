import { isRecord, parseJson } from "../base/json.ts";
import type { Message } from "../plugin/message.ts";

export const todoStatuses = ["pending", "in_progress", "completed", "cancelled"] as const;

export interface TodoItem {
  id: string;
  content: string;
  status: (typeof todoStatuses)[number];
}

/** The plan of one session, in memory; its last result in the history brings it back. */
export interface TodoList {
  items(): TodoItem[];
  /** replaces the whole list; of items with the same id the last one counts, at the place of the first */
  replace(items: unknown[]): void;
  /** changes the given members of known items and appends new ones; items without an id are left out */
  merge(items: unknown[]): void;
  /** what is still to be done, one line each, for the text after compaction; "" when nothing is */
  openLines(): string;
}

export function createTodoList(): TodoList {
  let list: TodoItem[] = [];
  const put = (item: TodoItem): void => {
    const index = list.findIndex((known) => known.id === item.id);
    if (index === -1) list.push(item);
    else list[index] = item;
  };
  return {
    items: () => list.map((item) => ({ ...item })),
    replace(items) {
      list = [];
      for (const item of items) put(toItem(item, { id: "?", content: "(no description)", status: "pending" }));
    },
    merge(items) {
      for (const item of items) {
        const id = isRecord(item) ? toText(item["id"]) : undefined;
        if (id === undefined) continue;
        const known = list.find((entry) => entry.id === id);
        put(toItem(item, known ?? { id, content: "(no description)", status: "pending" }));
      }
    },
    openLines: () =>
      list
        .filter((item) => item.status === "pending" || item.status === "in_progress")
        .map((item) => `- ${item.status === "pending" ? "[ ]" : "[>]"} ${item.id}. ${item.content}`)
        .join("\n"),
  };
}

/** Brings a list back from the last result of the `todo` tool in a session's messages; keeps it when there is none. */
export function hydrateTodos(list: TodoList, messages: Message[]): void {
  for (const message of messages.toReversed()) {
    for (const part of message.parts) {
      if (part.type !== "tool-result" || part.name !== "todo" || part.isError === true) continue;
      const result = parseJson(part.text);
      if (!isRecord(result) || !Array.isArray(result["todos"])) continue;
      list.replace(result["todos"]);
      return;
    }
  }
}

function toItem(value: unknown, fallback: TodoItem): TodoItem {
  if (!isRecord(value)) return fallback;
  const status = todoStatuses.find((name) => name === value["status"]);
  return {
    id: toText(value["id"]) ?? fallback.id,
    content: toText(value["content"]) ?? fallback.content,
    status: status ?? fallback.status,
  };
}

function toText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
