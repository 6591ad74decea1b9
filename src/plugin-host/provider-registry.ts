import { PluginError } from "../base/errors.ts";
import { nearestName } from "../base/nearest.ts";
import { apiVersion, type ProviderPlugin } from "../plugin/index.ts";
import type { ProviderDefinition } from "../plugin/provider.ts";
import type { BuiltinPlugin } from "./builtin-plugin.ts";
import { builtinPlugins } from "./builtin.generated.ts";

const providers = builtinPlugins.filter((plugin) => plugin.kind === "provider");

/** Ids and descriptions of every provider; loads nothing. */
export function listProviders(): Pick<BuiltinPlugin, "id" | "name" | "description" | "aliases">[] {
  return providers.map(({ id, name, description, aliases }) => ({ id, name, description, aliases }));
}

/**
 * Loads one provider by id or alias.
 * @throws {PluginError} E_PROVIDER_UNKNOWN with the nearest id; E_PLUGIN_LOAD when its module fails; E_PLUGIN_API
 */
export async function loadProvider(idOrAlias: string): Promise<ProviderDefinition> {
  const wanted = idOrAlias.trim().toLowerCase();
  const row =
    providers.find((plugin) => plugin.id === wanted) ?? providers.find((plugin) => plugin.aliases.includes(wanted));
  if (row === undefined) {
    const known = providers.flatMap((plugin) => [plugin.id, ...plugin.aliases]);
    const near = nearestName(wanted, known);
    throw new PluginError("E_PROVIDER_UNKNOWN", `unknown provider "${idOrAlias}"`, {
      id: wanted,
      hint:
        near === undefined
          ? `known providers: ${providers.map((plugin) => plugin.id).join(", ")}`
          : `did you mean "${near}"?`,
    });
  }
  const plugin = await loadModule(row);
  if (plugin.apiVersion > apiVersion) {
    throw new PluginError(
      "E_PLUGIN_API",
      `plugin "${row.id}" needs plugin API ${plugin.apiVersion}, this hermes has ${apiVersion}`,
      {
        id: row.id,
        hint: "update hermes",
      },
    );
  }
  return plugin.definition;
}

async function loadModule(row: BuiltinPlugin): Promise<ProviderPlugin> {
  try {
    const module = await row.load();
    if (module.default.kind === "provider") return module.default;
  } catch (error) {
    throw new PluginError("E_PLUGIN_LOAD", `plugin "${row.id}" could not be loaded`, { id: row.id, cause: error });
  }
  throw new PluginError("E_PLUGIN_LOAD", `plugin "${row.id}" declares no provider`, { id: row.id });
}
