/** What one session has read and written: warns about stale writes and repeated reads. */
export interface FileState {
  noteRead(path: string, range: { offset: number; limit: number }): void;
}
