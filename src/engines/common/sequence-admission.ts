/** Which sequences may be open at a time: rows, and memory for keys and values, are limited. @module */
import { cancelled, throwIfCancelled } from '../../core/errors/inference-error.js';

/** Tokens of an answer that are reckoned with at its beginning. Most answers are shorter, and most limits much higher. */
const EXPECTED_ANSWER = 256;

/** What a sequence is going to need. */
export interface SequenceNeed {
  /** Rows that decode together. */
  rows: number;
  promptTokens: number;
  /** Limit of the answer of each row; absent: what the context leaves. */
  maxTokens?: number | undefined;
}

/** What an open sequence has, until it ends. */
export interface SequenceReservation {
  /** Tells how many tokens all rows have by now: a sequence may get longer than was expected. */
  measure: (heldTokens: () => number) => void;
  /** Lets others in. Safe to call twice. */
  leave: () => void;
}

export interface AdmissionOptions {
  /** So many sequences may be open whatever they need. */
  always: number;
  /** Maximum number of rows. */
  maxRows: number;
  /** Maximum size of the keys and values of all sequences, in bytes. */
  maxBytes: number;
  /** Bytes of one token of one row. */
  tokenBytes: number;
}

interface OpenSequence {
  rows: number;
  tokens: () => number;
}

/** First come, first served: a waiting request blocks those behind it. */
export class SequenceAdmission {
  readonly #options: AdmissionOptions;
  readonly #open = new Set<OpenSequence>();
  readonly #waiting: { need: SequenceNeed; enter: () => void }[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Waits until the sequence may be open. @throws InferenceError `cancelled` when the signal aborts first */
  async enter(need: SequenceNeed, signal: AbortSignal): Promise<SequenceReservation> {
    throwIfCancelled(signal);
    if (this.#waiting.length === 0 && this.#hasRoom(need)) return this.#admit(need);
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(this.#admit(need));
      };
      const leave = (): void => {
        this.#waiting.splice(
          this.#waiting.findIndex((each) => each.enter === enter),
          1,
        );
        reject(cancelled());
        // What it waited for may be room enough for those behind it.
        this.#letIn();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push({ need, enter });
    });
  }

  #admit(need: SequenceNeed): SequenceReservation {
    const expected = tokensOf(need);
    const sequence: OpenSequence = { rows: need.rows, tokens: () => expected };
    this.#open.add(sequence);
    return {
      measure: (heldTokens) => (sequence.tokens = () => Math.max(expected, heldTokens())),
      leave: () => {
        if (this.#open.delete(sequence)) this.#letIn();
      },
    };
  }

  #letIn(): void {
    while (this.#waiting[0] && this.#hasRoom(this.#waiting[0].need)) this.#waiting.shift()!.enter();
  }

  #hasRoom(need: SequenceNeed): boolean {
    const { always, maxRows, maxBytes, tokenBytes } = this.#options;
    if (this.#open.size < always) return true;
    let { rows } = need;
    let tokens = tokensOf(need);
    for (const sequence of this.#open) {
      rows += sequence.rows;
      tokens += sequence.tokens();
    }
    return rows <= maxRows && tokens * tokenBytes <= maxBytes;
  }
}

function tokensOf({ rows, promptTokens, maxTokens = Infinity }: SequenceNeed): number {
  return rows * (promptTokens + Math.min(maxTokens, EXPECTED_ANSWER));
}
