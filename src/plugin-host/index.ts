/** Finds, loads and lists plugins. */
export { listProviders, loadProvider } from "./provider-registry.ts";
