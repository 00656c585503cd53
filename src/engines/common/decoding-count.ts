/** How many sequences decode, for whatever depends on having company. */
export class DecodingCount {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Whether several sequences decode. */
  get isShared(): boolean {
    return this.#count > 1;
  }

  /** Announces a sequence that will decode. @returns call it when the sequence ends; further calls do nothing */
  join(): () => void {
    this.#count += 1;
    let joined = true;
    return () => {
      if (joined) this.#count -= 1;
      joined = false;
    };
  }
}
