/** Loads what the first model call needs, while the caller waits for something else. */
export function preloadWires(): void {
  import("openai").catch(() => {
    // the call that needs it reports the same failure
  });
}
