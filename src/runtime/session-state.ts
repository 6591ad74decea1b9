import type { ResolvedModel } from "../models/index.ts";
import type { Session, Turn } from "../session/index.ts";
import type { RunOptions } from "./types.ts";

/** What changes in a session while a face holds it. */
export interface SessionState {
  session: Session;
  model: ResolvedModel;
  /** ids of this session and the ones it continues, newest first */
  lineage: string[];
  /** the running turn and the face that runs it; undefined between turns */
  turn: Turn | undefined;
  run: RunOptions | undefined;
}
