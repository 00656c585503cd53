/** Bounds the memory that the bodies of all requests take together. @module */

/** There is no room for a body now. */
export class NoRoomForBody extends Error {}

/** What one request has taken. */
export interface BodyReservation {
  /** @throws NoRoomForBody */
  take(bytes: number): void;
  /** Gives everything back. Nothing can be taken afterwards. */
  release(): void;
}

/** See the module. */
export class BodyMemory {
  readonly #maxBytes: number;
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  reserve(): BodyReservation {
    let taken = 0;
    let isReleased = false;
    return {
      take: (bytes) => {
        if (isReleased || this.#used + bytes > this.#maxBytes) throw new NoRoomForBody();
        taken += bytes;
        this.#used += bytes;
      },
      release: () => {
        if (!isReleased) this.#used -= taken;
        isReleased = true;
      },
    };
  }
}
