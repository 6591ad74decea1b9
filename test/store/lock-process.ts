/** Holds the write lock of a database with another engine: `<database> <milliseconds>`. */
import { Database } from "bun:sqlite";

const [path = "", holdMs = "0"] = process.argv.slice(2);
const database = new Database(path);
database.run("PRAGMA busy_timeout = 10000");
database.run("BEGIN IMMEDIATE");
process.stdout.write("locked\n");
await Bun.sleep(Number(holdMs));
database.run("COMMIT");
database.close();
