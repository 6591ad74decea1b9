import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { estimateTokens } from "../../src/base/text.ts";
import {
  coerceArguments,
  type CoreTool,
  coreTools,
  createToolRegistry,
  defineCoreTool,
  maxParallelCalls,
  planBatch,
  repairToolName,
} from "../../src/tools/index.ts";
import { sanitizeParameters } from "../../src/tools/schema-sanitizer.ts";

function tool(name: string, more: Partial<CoreTool> = {}): CoreTool {
  return {
    ...defineCoreTool({
      name,
      toolset: "test",
      description: name,
      parameters: z.object({ path: z.string().optional() }),
      execute: () => Promise.resolve(""),
    }),
    ...more,
  };
}

describe("the registry", () => {
  test("leaves out a tool whose check throws and sorts the others by name", () => {
    const broken = () => {
      throw new Error("no");
    };
    const registry = createToolRegistry([tool("c"), tool("b", { isAvailable: broken }), tool("a")]);
    expect(registry.specs(["b", "a", "c", "unknown"]).map((spec) => spec.name)).toEqual(["a", "c"]);
  });

  test("gives no tools for an empty list", () => {
    expect(createToolRegistry([tool("a")]).specs([])).toEqual([]);
  });

  test("refuses two tools of one name", () => {
    expect(() => createToolRegistry([tool("a"), tool("a")])).toThrow('two tools are named "a"');
  });

  test("writes the same bytes for the same tools in any order", () => {
    const forward = JSON.stringify(createToolRegistry(coreTools).specs());
    const backward = JSON.stringify(createToolRegistry(coreTools.toReversed()).specs());
    expect(forward).toBe(backward);
  });

  test("tells the model about all core tools in fewer than 2,500 tokens", () => {
    expect(estimateTokens(JSON.stringify(createToolRegistry(coreTools).specs()))).toBeLessThan(2500);
  });

  test("never names another tool in a description", () => {
    const names = coreTools.map((entry) => entry.name).filter((name) => name.includes("_"));
    for (const entry of coreTools) {
      for (const name of names.filter((other) => other !== entry.name)) expect(entry.description).not.toContain(name);
    }
  });
});

describe("schemas", () => {
  test.each([
    ["no parameters", undefined, { type: "object", properties: {} }],
    ["an object without properties", { type: "object" }, { type: "object", properties: {} }],
    [
      "a bare string where a schema belongs",
      { type: "object", properties: { a: "string" }, additionalProperties: "object" },
      {
        type: "object",
        properties: { a: { type: "string" } },
        additionalProperties: { type: "object", properties: {} },
      },
    ],
    [
      "a type with null",
      { type: "object", properties: { a: { type: ["string", "null"] } } },
      { type: "object", properties: { a: { type: "string", nullable: true } } },
    ],
    [
      "a choice that only adds null",
      { type: "object", properties: { a: { anyOf: [{ type: "integer" }, { type: "null" }], description: "d" } } },
      { type: "object", properties: { a: { type: "integer", description: "d", nullable: true } } },
    ],
    [
      "a choice at the top",
      { type: "object", properties: {}, anyOf: [{ required: ["a"] }] },
      { type: "object", properties: {} },
    ],
    [
      "a default beside a reference",
      { type: "object", properties: { a: { $ref: "#/$defs/x", default: 1 } } },
      { type: "object", properties: { a: { $ref: "#/$defs/x" } } },
    ],
    [
      "a required name that does not exist",
      { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ],
  ])("are repaired: %s", (_, schema, expected) => {
    expect(sanitizeParameters(schema)).toEqual(expected as ReturnType<typeof sanitizeParameters>);
  });

  test("are not changed in place", () => {
    const schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
    sanitizeParameters(schema);
    expect(schema.properties.a.type).toEqual(["string", "null"]);
  });
});

describe("arguments are coerced", () => {
  test.each<[string, Record<string, unknown>, unknown, unknown]>([
    ["integer", { type: "integer" }, "42", 42],
    ["integer written with .0", { type: "integer" }, "42.0", 42],
    ["no integer", { type: "integer" }, "4.5", "4.5"],
    ["no number at all", { type: "integer" }, "inf", "inf"],
    ["number", { type: "number" }, "4.5", 4.5],
    ["number with exponent", { type: "number" }, "1e3", 1000],
    ["boolean", { type: "boolean" }, "TRUE", true],
    ["no boolean", { type: "boolean" }, "yes", "yes"],
    ["array as JSON", { type: "array" }, '["a"]', ["a"]],
    ["one string for an array", { type: "array" }, "https://a.com", ["https://a.com"]],
    ["one number for an array", { type: "array" }, 5, [5]],
    ["null for an array", { type: "array" }, null, null],
    ["object as JSON", { type: "object" }, '{"a":1}', { a: 1 }],
    ["no object", { type: "object" }, "x", "x"],
    ["null as text", { type: "string", nullable: true }, "null", null],
    ["null as text for a union", { type: ["string", "null"] }, "null", null],
    ["the first type that fits", { type: ["integer", "string"] }, "7", 7],
    ["text for text", { type: "string" }, "7", "7"],
  ])("%s", (_, schema, value, expected) => {
    const result = coerceArguments({ value }, { type: "object", properties: { value: schema } });
    expect(result).toEqual({ value: expected });
  });

  test("arguments the schema does not know stay as they are", () => {
    expect(coerceArguments({ other: "1" }, { type: "object", properties: {} })).toEqual({ other: "1" });
  });
});

describe("tool names are repaired", () => {
  const known = ["web_search", "write_file", "todo", "terminal", "read_file"];
  test.each([
    ["Web_Search", "web_search"],
    ["web-search", "web_search"],
    ["Web-Search", "web_search"],
    ["web serch", "web_search"],
    ["write file", "write_file"],
    ["WriteFile", "write_file"],
    ["TodoTool_tool", "todo"],
    ["read_file_tool", "read_file"],
    ['terminal" parameter="command', "terminal"],
  ])("%s becomes %s", (written, expected) => {
    expect(repairToolName(written, known)).toBe(expected);
  });

  test.each(["quantum_teleport", "", '"'])("%j is not repaired", (written) => {
    expect(repairToolName(written, known)).toBeUndefined();
  });
});

describe("a batch", () => {
  const parallel = { concurrency: () => ({ mode: "parallel" as const }) };
  const registry = createToolRegistry([...coreTools, tool("web_search", parallel), tool("clarify")]);
  const call = (name: string, args: unknown = {}) => ({
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  });
  const write = (path: string) => call("write_file", { path, content: "" });
  const together = [[0, 1]];
  const inOrder = [[0], [1]];

  test.each([
    ["searches", [call("web_search"), call("web_search")], together],
    ["two files", [write("a.txt"), write("b.txt")], together],
    [
      "one file in two spellings",
      [write("src/a.ts"), call("patch", { path: "/w/src/a.ts", old_string: "a", new_string: "b" })],
      inOrder,
    ],
    ["a folder and what is in it", [call("read_file", { path: "src" }), write("src/x")], inOrder],
    ["names with the same beginning", [write("src"), write("src2")], together],
    ["read and write of one file", [call("read_file", { path: "a.txt" }), write("a.txt")], inOrder],
    ["two commands", [call("terminal", { command: "a" }), call("terminal", { command: "b" })], inOrder],
    ["an unknown tool", [call("nope"), call("web_search")], inOrder],
    ["a question to the user", [call("clarify"), call("web_search")], inOrder],
    ["arguments that are no object", [call("web_search", "[1]"), call("web_search")], inOrder],
    ["arguments that are no JSON", [call("web_search", "{bad"), call("web_search")], inOrder],
    ["a missing path", [call("write_file", { content: "" }), write("b.txt")], inOrder],
    ["a blank path", [write(" "), write("b.txt")], inOrder],
    ["a patch of many files", [call("patch", { mode: "patch", patch: "x" }), write("b.txt")], inOrder],
  ])("of %s", (_, calls, expected) => {
    expect(planBatch(calls, "/w", registry)).toEqual(expected);
  });

  test("runs at most eight calls at a time", () => {
    const calls = Array.from({ length: 10 }, () => call("web_search"));
    expect(planBatch(calls, "/w", registry).map((group) => group.length)).toEqual([maxParallelCalls, 2]);
  });
});
