/** Writes src/plugin-host/builtin.generated.ts: what is built in, and a lazy import for each. `--check` only compares. */
import { Glob } from "bun";
import { basename, dirname, join } from "node:path";
import type { ProviderPlugin, ToolPlugin } from "../src/plugin/index.ts";

const root = join(import.meta.dir, "..");
const target = join(root, "src/plugin-host/builtin.generated.ts");

interface Row {
  kind: string;
  id: string;
  path: string;
  aliases: string[];
  name: string;
  description: string;
}

async function readRows(): Promise<Row[]> {
  const files = ["plugins/*/*.ts", "plugins/*/*/index.ts"]
    .flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
    .sort();
  const rows: Row[] = [];
  for (const file of files) {
    const module = (await import(join(root, file))) as { default: ProviderPlugin | ToolPlugin };
    const plugin = module.default;
    const id = basename(file) === "index.ts" ? basename(dirname(file)) : basename(file, ".ts");
    const declared = plugin.kind === "provider" ? plugin.definition.id : plugin.definition.name;
    if (declared !== id) throw new Error(`${file}: its id is "${declared}", its file says "${id}"`);
    rows.push({
      kind: plugin.kind,
      id,
      path: `../../${file}`,
      aliases: plugin.kind === "provider" ? (plugin.definition.aliases ?? []) : [],
      name: plugin.definition.name,
      description: plugin.definition.description,
    });
  }
  return rows;
}

function toSource(rows: Row[]): string {
  const entries = rows.map(
    (row) => `  {
    kind: ${JSON.stringify(row.kind)},
    id: ${JSON.stringify(row.id)},
    aliases: [${row.aliases.map((alias) => JSON.stringify(alias)).join(", ")}],
    name: ${JSON.stringify(row.name)},
    description: ${JSON.stringify(row.description)},
    load: () => import(${JSON.stringify(row.path)}),
  },`,
  );
  return `// written by scripts/gen-plugins.ts
import type { BuiltinPlugin } from "./builtin-plugin.ts";

/** Every plugin of the executable; nothing is loaded until \`load\` is called. */
export const builtinPlugins: BuiltinPlugin[] = [
${entries.join("\n")}
];
`;
}

const wanted = toSource(await readRows());
if (process.argv.includes("--check")) {
  const current = await Bun.file(target).text();
  if (current !== wanted) {
    console.error("error: src/plugin-host/builtin.generated.ts is out of date\n  try: npm run generate");
    process.exit(1);
  }
} else {
  await Bun.write(target, wanted);
}
