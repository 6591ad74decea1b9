/** Where a face writes. */
export interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
  colors: boolean;
}
