import type { BunPlugin } from "bun";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package changed so that a rewrite does not apply any more. */
function changed(what: string, expected: string): Error {
  return new Error(
    `${what} has changed: ${expected} was not found. Adapt scripts/build/rewrites.ts to the new version.`,
  );
}

/**
 * The loader that replaces libsql's own, which asks for a computed package name. The runtime unpacks an embedded
 * engine into TMPDIR; where that is read-only or mounted noexec, the cache folder of the home is used.
 */
const engineLoader = (addon: string): string => `function requireNative() {
  try {
    return require(${JSON.stringify(addon)});
  } catch (first) {
    const { createHash } = require("node:crypto");
    const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
    const { homedir } = require("node:os");
    const { join } = require("node:path");
    const home = process.env.HERMES_HOME || join(process.env.HOME || homedir(), ".hermes");
    const folder = join(home, "cache", "native");
    try {
      const embedded = Bun.embeddedFiles.find((file) => file.name.endsWith(".node"));
      if (embedded === undefined) throw first;
      const bytes = readFileSync("/$bunfs/root/" + embedded.name);
      const path = join(folder, createHash("sha256").update(bytes).digest("hex").slice(0, 16) + ".node");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (!existsSync(path) || !readFileSync(path).equals(bytes)) {
        const temporary = path + "." + process.pid + "." + Math.random().toString(36).slice(2);
        writeFileSync(temporary, bytes, { mode: 0o700, flag: "wx" });
        renameSync(temporary, path);
      }
      const addonModule = { exports: {} };
      process.dlopen(addonModule, path);
      return addonModule.exports;
    } catch (second) {
      throw new Error(
        "the database engine cannot be unpacked: " + first.message + "; " + second.message +
          ". Set TMPDIR to a folder that is writable and not mounted noexec",
        { cause: first },
      );
    }
  }
}
`;

/**
 * libsql's index.js with the engine named literally, so that the bundler embeds it.
 * @param addon path of the engine's `.node` file
 * @throws Error when the file does not look as expected
 */
export function rewriteEngineLoader(source: string, addon: string): string {
  const imports =
    /const \{ load, currentTarget \} = require\("@neon-rs\/load"\);\nconst \{[^}]*\} = require\("detect-libc"\);\n/;
  const loader = /function requireNative\(\) \{\n[\s\S]*?\n\}\n/;
  if (!imports.test(source)) throw changed("libsql/index.js", 'the import of "@neon-rs/load" and "detect-libc"');
  if (!loader.test(source)) throw changed("libsql/index.js", "the function requireNative");
  return source.replace(imports, "").replace(loader, () => engineLoader(addon));
}

/** Files of playwright-core that read JSON beside the package, and what each must read. */
const browserFiles: Record<string, ("package.json" | "browsers.json")[]> = {
  "package.js": ["package.json"],
  "serverRegistry.js": ["package.json"],
  "coreBundle.js": ["package.json", "browsers.json"],
};

/**
 * A file of playwright-core with the JSON files that it reads at run time put in.
 * @param name base name of the file
 * @param readJson text of a JSON file of the package
 * @throws Error when a read that must be there is not
 */
export function inlineBrowserData(name: string, source: string, readJson: (file: string) => string): string {
  const found = new Set<string>();
  const pattern = /require\(\w+(?:\.default)?\.join\(packageRoot, "(package\.json|browsers\.json)"\)\)/g;
  const result = source.replace(pattern, (_whole, file: string) => {
    found.add(file);
    return `(${JSON.stringify(JSON.parse(readJson(file)))})`;
  });
  for (const file of browserFiles[name] ?? []) {
    if (!found.has(file)) throw changed(`playwright-core/lib/${name}`, `its read of ${file}`);
  }
  return result;
}

/**
 * The build plugin with both rewrites.
 * @param rewritten receives the name of every package that was rewritten
 */
export function rewritePlugin(addon: string, rewritten: Set<string>): BunPlugin {
  return {
    name: "hermes-rewrites",
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]libsql[\\/]index\.js$/ }, ({ path }) => {
        rewritten.add("libsql");
        return { contents: rewriteEngineLoader(readFileSync(path, "utf8"), addon), loader: "js" };
      });
      build.onLoad(
        { filter: /[\\/]playwright-core[\\/]lib[\\/](package|serverRegistry|coreBundle)\.js$/ },
        ({ path }) => {
          rewritten.add("playwright-core");
          const name = path.split(/[\\/]/).at(-1) ?? "";
          const folder = join(dirname(path), "..");
          const contents = inlineBrowserData(name, readFileSync(path, "utf8"), (file) =>
            readFileSync(join(folder, file), "utf8"),
          );
          return { contents, loader: "js" };
        },
      );
    },
  };
}
