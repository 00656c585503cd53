/** A file of a model that nobody should load. */
export interface HostileFile {
  name: string;
  /** Reads it as a load or a request does; what it resolves with does not matter. */
  read: () => unknown;
  /** Whether it is refused; else it is read as what it is, or left to the engine as it is. */
  refused: boolean;
}
