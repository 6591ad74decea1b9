/** The background commands of this process. */
export interface ProcessRegistry {
  stopAll(): Promise<void>;
}
