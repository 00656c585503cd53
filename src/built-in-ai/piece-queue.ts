/** Pieces that one side makes and the other reads. @module */

export class PieceQueue<Piece> {
  readonly #pieces: Piece[] = [];
  #wake: () => void = () => {};

  push(piece: Piece): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  /** What is pushed until the work settles. @throws what the work rejects with */
  async *until(work: Promise<unknown>): AsyncGenerator<Piece> {
    let isOver = false;
    const settled = (): void => {
      isOver = true;
      this.#wake();
    };
    work.then(settled, settled);
    for (;;) {
      while (this.#pieces.length > 0) yield this.#pieces.shift()!;
      if (isOver) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    await work;
  }
}
