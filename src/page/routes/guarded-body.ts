/** The body of a handler's response, which ends when no one reads it any more. @module */

/** Between the handler's stream and its reader. */
export class GuardedBody {
  readonly #aborted: AbortController;
  readonly #done: () => void;

  /**
   * @param aborted aborts when the reader leaves; what aborts it ends the body with its reason
   * @param done called once when nothing of the body is left
   */
  constructor(aborted: AbortController, done: () => void) {
    this.#aborted = aborted;
    this.#done = done;
  }

  /** Asks the handler's stream for a piece when its reader asks for one, never ahead. */
  around(body: ReadableStream<Uint8Array> | null): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (!body) {
      this.#done();
      return null;
    }
    const reader = body.getReader();
    const { signal } = this.#aborted;
    let leave: () => void = () => {};
    const end = (): void => {
      signal.removeEventListener('abort', leave);
      this.#done();
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          leave = () => {
            end();
            controller.error(signal.reason);
            void reader.cancel(signal.reason).catch(() => {});
          };
          signal.addEventListener('abort', leave);
        },
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (signal.aborted) return;
            if (done) {
              end();
              return controller.close();
            }
            if (!(value instanceof Uint8Array)) throw new TypeError('The stream of a Response must be of Uint8Arrays.');
            controller.enqueue(value as Uint8Array<ArrayBuffer>);
          } catch (thrown) {
            if (signal.aborted) return;
            end();
            controller.error(thrown);
            void reader.cancel(thrown).catch(() => {});
          }
        },
        cancel: async (reason) => {
          end();
          this.#aborted.abort(reason);
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
}
