import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const world = mkdtempSync(join(tmpdir(), "hermes-test-"));
process.env["HOME"] = world;
process.env["HERMES_HOME"] = join(world, ".hermes");
for (const name of Object.keys(process.env)) {
  if (/(_API_KEY|_TOKEN|_BASE_URL)$/.test(name)) Reflect.deleteProperty(process.env, name);
}
Reflect.deleteProperty(process.env, "HERMES_TEST_NOW");

// the one global that tests touch: nothing may leave this machine
const realFetch = globalThis.fetch;
const guarded = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname !== "127.0.0.1" && url.hostname !== "localhost" && url.hostname !== "[::1]") {
    return Promise.reject(new Error(`a test tried to reach ${url.origin}`));
  }
  return realFetch(input, init);
};
globalThis.fetch = Object.assign(guarded, realFetch);

afterAll(() => rmSync(world, { recursive: true, force: true }));
