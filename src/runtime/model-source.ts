import type { LoadedConfig } from "../config/index.ts";
import { resolveModel, type ResolvedModel } from "../models/index.ts";
import type { RuntimeOptions } from "./types.ts";

/** Resolves models for sessions: a flag first, then what the session used, then the config. */
export function createModelSource(options: RuntimeOptions, config: LoadedConfig) {
  const query = (provider: string | undefined, model: string | undefined): Promise<ResolvedModel> =>
    resolveModel({
      provider,
      model,
      config: config.values.model,
      customProviders: config.values.custom_providers,
      environment: config.environment,
      fetch,
      now: () => options.clock.now(),
    });
  return {
    async resolve(session: { model: string; provider: string } | undefined): Promise<ResolvedModel> {
      if (options.injectedModel !== undefined) return options.injectedModel;
      const { provider, model } = options.overrides ?? {};
      if (provider !== undefined || model !== undefined || session === undefined) {
        // a model of another provider means nothing to the one that a flag names
        return await query(
          provider ?? session?.provider,
          model ?? (provider === undefined ? session?.model : undefined),
        );
      }
      return await query(session.provider, session.model);
    },
    async choose(model: string, provider: string | undefined): Promise<ResolvedModel> {
      if (options.injectedModel !== undefined) return { ...options.injectedModel, model };
      return await query(provider, model);
    },
  };
}
