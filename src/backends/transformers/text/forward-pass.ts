/** One run of a decoder graph: token ids and state in, logits and the next state out. @module */
import { createTensor, type OnnxSession, type OnnxTensor, toFloat32 } from './onnx-session.js';
import { SequenceState } from './sequence-state.js';

/** What a run gives. */
export interface ForwardResult {
  /** After the last token of each row; views into one array. */
  logits: Float32Array[];
  state: SequenceState;
}

/** Runs a session with feeds of our own: no tensor is copied or wrapped that need not be. */
export class ForwardPass {
  readonly #session: OnnxSession;
  readonly #inputs: ReadonlySet<string>;
  readonly #firstPosition: number;
  #logits: OnnxTensor | undefined;
  #ones = new BigInt64Array(256).fill(1n);

  /** @param firstPosition position of the first token: 1 for a few architectures, else 0 */
  constructor(session: OnnxSession, firstPosition: number) {
    this.#session = session;
    this.#inputs = new Set(session.inputNames);
    this.#firstPosition = firstPosition;
  }

  /**
   * @param rows token ids per row, all of one length
   * @param past tokens that the state holds
   * @param state is disposed when the run succeeds
   */
  async run(rows: readonly (readonly number[])[], past: number, state: SequenceState): Promise<ForwardResult> {
    const length = rows[0]!.length;
    const feeds: Record<string, OnnxTensor> = { ...state.tensors, ...this.#feeds(rows, length, past) };
    const outputs = await this.#session.run(feeds);
    state.dispose();
    this.#logits?.dispose();
    const logits = outputs['logits']!;
    this.#logits = logits;
    const data = toFloat32(logits.data);
    const [, kept = 1, vocabulary = 0] = logits.dims;
    return {
      logits: rows.map((_, row) => {
        const end = (row + 1) * kept * vocabulary;
        return data.subarray(end - vocabulary, end);
      }),
      state: SequenceState.after(outputs),
    };
  }

  /** Frees the logits of the last run. */
  dispose(): void {
    this.#logits?.dispose();
    this.#logits = undefined;
  }

  #feeds(rows: readonly (readonly number[])[], length: number, past: number): Record<string, OnnxTensor> {
    const count = rows.length;
    const ids = new BigInt64Array(count * length);
    let place = 0;
    for (const row of rows) for (const token of row) ids[place++] = BigInt(token);
    const feeds: Record<string, OnnxTensor> = { input_ids: createTensor('int64', ids, [count, length]) };
    if (this.#inputs.has('attention_mask')) {
      feeds['attention_mask'] = createTensor('int64', this.#onesOf(count * (past + length)), [count, past + length]);
    }
    if (this.#inputs.has('position_ids')) {
      const positions = new BigInt64Array(count * length);
      for (let index = 0; index < positions.length; index++) {
        positions[index] = BigInt(this.#firstPosition + past + (index % length));
      }
      feeds['position_ids'] = createTensor('int64', positions, [count, length]);
    }
    if (this.#inputs.has('num_logits_to_keep'))
      feeds['num_logits_to_keep'] = createTensor('int64', BigInt64Array.of(1n), []);
    return feeds;
  }

  #onesOf(count: number): BigInt64Array {
    if (this.#ones.length < count) this.#ones = new BigInt64Array(count * 2).fill(1n);
    return this.#ones.subarray(0, count);
  }
}
