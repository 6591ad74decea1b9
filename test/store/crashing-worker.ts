/** A worker that dies of its third message, and answers the others. */
declare const self: Worker;

let count = 0;
self.addEventListener("message", (event: MessageEvent<{ id: number }>) => {
  count += 1;
  if (count === 3) process.exit(1);
  self.postMessage({ id: event.data.id, ok: true, value: count }, []);
});
