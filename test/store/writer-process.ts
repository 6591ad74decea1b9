/** A process of many writers: `<database> <name> <writers> <rows>`. Prints the longest pause of its event loop. */
import { openStore } from "../../src/store/index.ts";

const [path = "", name = "", writers = "0", rows = "0"] = process.argv.slice(2);
const store = await openStore({ path });
let longestMs = 0;
let last = performance.now();
const watch = setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - last - 5);
  last = now;
}, 5);
process.stdout.write("ready\n");
await Promise.all(
  Array.from({ length: Number(writers) }, async (_, writer) => {
    for (let row = 0; row < Number(rows); row += 1) {
      await store.write([
        {
          sql: "INSERT INTO kv (key, value, updated_at) VALUES (?, ?, '')",
          args: [`${name}-${writer}-${row}`, "x".repeat(500)],
        },
      ]);
    }
  }),
);
clearInterval(watch);
await store.close();
process.stdout.write(`${JSON.stringify({ longestMs })}\n`);
