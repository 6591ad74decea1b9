/** Begins a turn, stores a question and two calls with one result, and waits to be killed: `<database> <session id>`. */
import { beginTurn, createSession } from "../../src/session/index.ts";
import { openStore } from "../../src/store/index.ts";
import { calls, result, user } from "./session-world.ts";

const [path = "", id = ""] = process.argv.slice(2);
const store = await openStore({ path });
const now = () => new Date();
const session = await createSession(store, { id, source: "cli", model: "m", provider: "p", cwd: "/", now });
const turn = await beginTurn(store, { session, face: "cli", request: "do it", now });
await turn.append([user("do it")]);
await turn.append([calls("call_1", "call_2")]);
await turn.append([result("call_1", "done")]);
process.stdout.write("stored\n");
await Bun.sleep(60_000);
