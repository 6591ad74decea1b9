/** The demo: real parts, a scripted model. */
export { runDemo } from "./run-demo.ts";
