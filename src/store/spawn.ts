// an extra entry point of the build: keep this literal form
const spawn = (): Worker => new Worker(new URL("./worker.ts", import.meta.url));

const spare: Worker[] = [];

/** A thread for the database: a spare one when there is one. */
export function spawnWorker(): Worker {
  return spare.pop() ?? spawn();
}

/** Starts threads before they are needed: they load while the caller loads the rest of the program. */
export function warmWorkers(count: number): void {
  while (spare.length < count) {
    const worker = spawn();
    worker.unref();
    spare.push(worker);
  }
}
