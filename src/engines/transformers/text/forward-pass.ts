/** One forward pass of a decoder graph: tokens and state in, logits and the next state out. @module */
import type { TokenLogits } from '../../../language/sampling/token-logits.js';
import { WrongOutput } from '../../../core/errors/wrong-output.js';
import { GpuLogits, type LogitsRequest } from '../gpu/gpu-logits.js';
import { createTensor, type OnnxSession, type OnnxTensor, toFloat32 } from '../ort/onnx-session.js';
import type { ForwardRow, TokenEmbedder } from './token-embedder.js';
import { inputOfOutput, isState, SequenceState } from '../cache/sequence-state.js';

interface ForwardOptions {
  /** How many tokens at the end of each row get their logits. */
  keep: number;
  /** Which logits the caller reads of each row. */
  needs: readonly LogitsRequest[];
  /** The next keys and values are written into the state, which has room for them and no other reader. */
  inPlace?: boolean;
}

/** The result of a forward pass. */
export interface ForwardResult {
  /** Per row, after each of its last tokens. */
  logits: TokenLogits[][];
  /** The given one, where the next keys and values were written into it. */
  state: SequenceState;
}

export interface ForwardPassOptions {
  /** Position of the first token: 1 for a few architectures, else 0. */
  firstPosition: number;
  /** Tokens of the vocabulary; the graph may give more logits. */
  vocabularySize: number;
  /** For graphs that have rows and heads in one dimension of their cache. @default 1 */
  heads?: number | undefined;
  /** For a decoder that takes vectors; absent: it takes token ids. */
  embedder?: TokenEmbedder | undefined;
  /** Where the session runs; absent on WASM. */
  device?: GPUDevice | undefined;
}

/** Inputs that are filled here, beside tokens and states. */
const FILLED = new Set(['attention_mask', 'position_ids', 'num_logits_to_keep', 'use_cache_branch', 'token_type_ids']);

/** Runs a session with its own input tensors, so that no tensor is copied or wrapped without need. */
export class ForwardPass {
  readonly #session: OnnxSession;
  readonly #inputs: ReadonlySet<string>;
  readonly #options: ForwardPassOptions;
  /** Numbers per position: one, or three (time, height, width). */
  readonly #axes: 1 | 3;
  /** Keeps logits on the GPU; undefined before the first run and on WASM. */
  #gpuLogits: GpuLogits | undefined;
  #hasRun = false;

  constructor(session: OnnxSession, options: ForwardPassOptions) {
    this.#session = session;
    const positions = session.inputMetadata.find(({ name }) => name === 'position_ids');
    this.#axes = positions?.shape.length === 3 ? 3 : 1;
    this.#inputs = new Set(session.inputNames);
    this.#options = options;
  }

  /** Inputs of the graph that nothing here can fill. */
  get unknownInputs(): string[] {
    const vectors = this.#options.embedder?.outputNames ?? ['input_ids'];
    return [...this.#inputs].filter((name) => !isState(name) && !FILLED.has(name) && !vectors.includes(name));
  }

  /** The state before the first token. */
  emptyState(): SequenceState {
    if (this.hasCache) return SequenceState.empty(this.#session, 1, this.#options.heads);
    return readTokens([[]]);
  }

  /** Whether the graph has a cache; without one each pass reads the whole sequence. */
  get hasCache(): boolean {
    return this.#session.inputNames.some(isState);
  }

  /** Whether the graph always gives the logits of every token. */
  get givesAllLogits(): boolean {
    return !this.#inputs.has('num_logits_to_keep');
  }

  /**
   * @param added tokens of each row
   * @param state of all rows; still belongs to the caller
   * @throws WrongOutput when the logits do not have the shape `[rows, tokens, vocabulary]`
   */
  async run(
    added: readonly ForwardRow[],
    state: SequenceState,
    { keep, needs, inPlace = false }: ForwardOptions,
  ): Promise<ForwardResult> {
    const rows = this.hasCache ? added : withEarlierTokens(added, state);
    const ids = tokenIds(rows);
    const vectors = await this.#options.embedder?.run(ids, rows);
    const tokens = vectors ?? { input_ids: ids };
    const cache = this.hasCache ? state.tensors : {};
    const feeds: Record<string, OnnxTensor> = { ...cache, ...tokens, ...this.#feeds(rows, keep) };
    const gpuLogits = this.#gpuLogits;
    const given = this.givesAllLogits ? rows[0]!.tokens.length : keep;
    const target = gpuLogits?.take(rows.length, given);
    const targets = inPlace ? this.#statesOf(state) : target && this.#outputs(target);
    const outputs = await this.#session.run(feeds, targets).finally(() => {
      for (const tensor of Object.values(vectors ?? {})) tensor.dispose();
    });
    const logits = outputs['logits']!;
    if (!hasShape(logits, rows.length, keep)) {
      for (const tensor of inPlace ? [logits] : Object.values(outputs)) tensor.dispose();
      const wanted = `[${rows.length}, ${given}, vocabulary]`;
      throw new WrongOutput(`its logits have the shape [${logits.dims.join(', ')}] instead of ${wanted}`);
    }
    const next = inPlace ? state : this.#after(outputs, rows);
    if (gpuLogits && target) return { logits: await gpuLogits.read(rows.length, given, keep, needs), state: next };
    if (!this.#hasRun) await this.#learn(logits, given);
    try {
      return { logits: lastLogits(logits, rows.length, keep, this.#options.vocabularySize), state: next };
    } finally {
      logits.dispose();
    }
  }

  /** Frees GPU memory. */
  dispose(): void {
    this.#gpuLogits?.dispose();
  }

  /** Prepares `#gpuLogits`; where the driver fails, all logits go to the CPU, as on WASM. */
  async #learn(logits: OnnxTensor, given: number): Promise<void> {
    const { device, vocabularySize } = this.#options;
    this.#hasRun = true;
    if (device) this.#gpuLogits = await GpuLogits.like(logits, given, device, vocabularySize).catch(() => undefined);
  }

  #after(outputs: Record<string, OnnxTensor>, rows: readonly ForwardRow[]): SequenceState {
    return this.hasCache ? SequenceState.after(outputs, rows.length) : readTokens(rows.map((row) => row.tokens));
  }

  /** The tensors of a state, as outputs. */
  #statesOf({ tensors }: SequenceState): Record<string, OnnxTensor | null> {
    const tensorOf = (output: string): OnnxTensor | null => tensors[inputOfOutput(output) ?? ''] ?? null;
    return Object.fromEntries(this.#session.outputNames.map((name) => [name, tensorOf(name)]));
  }

  /** The runtime allocates all other outputs. */
  #outputs(logits: OnnxTensor): Record<string, OnnxTensor | null> {
    return { ...Object.fromEntries(this.#session.outputNames.map((name) => [name, null])), logits };
  }

  #feeds(rows: readonly ForwardRow[], keep: number): Record<string, OnnxTensor> {
    const count = rows.length;
    const length = rows[0]!.tokens.length;
    const feeds: Record<string, OnnxTensor> = {};
    if (this.#inputs.has('attention_mask')) {
      const total = Math.max(...rows.map(({ past }) => past)) + length;
      // Zeros at the end of a row mark it as shorter than the longest.
      const mask = new BigInt64Array(count * total);
      for (const [row, { past }] of rows.entries()) mask.fill(1n, row * total, row * total + past + length);
      feeds['attention_mask'] = createTensor('int64', mask, [count, total]);
    }
    if (this.#inputs.has('position_ids')) feeds['position_ids'] = this.#positions(rows, length);
    const isPrompt = rows.every(({ past }) => past === 0);
    // Merged graphs have a branch for the first pass, which reads no cache.
    if (this.#inputs.has('use_cache_branch'))
      feeds['use_cache_branch'] = createTensor('bool', Uint8Array.of(isPrompt ? 0 : 1), [1]);
    // 1 for tokens that may see what comes after them: those of a prompt.
    if (this.#inputs.has('token_type_ids')) {
      const types = new BigInt64Array(count * length).fill(isPrompt ? 1n : 0n);
      feeds['token_type_ids'] = createTensor('int64', types, [count, length]);
    }
    if (!this.givesAllLogits) feeds['num_logits_to_keep'] = createTensor('int64', BigInt64Array.of(BigInt(keep)), []);
    return feeds;
  }

  #positions(rows: readonly ForwardRow[], length: number): OnnxTensor {
    const size = rows.length * length;
    const positions = new BigInt64Array(this.#axes * size);
    for (let index = 0; index < positions.length; index++) {
      const { past, layout } = rows[Math.floor((index % size) / length)]!;
      const position = past + (index % length);
      positions[index] =
        layout && this.#axes === 3
          ? layout.positionAt(position, Math.floor(index / size) as 0 | 1 | 2)
          : BigInt(this.#options.firstPosition + position);
    }
    return createTensor('int64', positions, [...(this.#axes === 3 ? [3] : []), rows.length, length]);
  }
}

/** What stands for a cache where there is none: the tokens that were read. Every id is exact as a 32-bit float. */
const READ_TOKENS = 'past_tokens';

function readTokens(rows: readonly (readonly number[])[]): SequenceState {
  const dims = [rows.length, rows[0]!.length];
  return new SequenceState({ [READ_TOKENS]: createTensor('float32', Float32Array.from(rows.flat()), dims) });
}

function withEarlierTokens(rows: readonly ForwardRow[], { tensors }: SequenceState): ForwardRow[] {
  const { data, dims } = tensors[READ_TOKENS]!;
  const [, length = 0] = dims;
  return rows.map((row, index) => {
    const earlier = Array.from((data as Float32Array).subarray(index * length, (index + 1) * length));
    return { ...row, tokens: [...earlier, ...row.tokens], past: 0 };
  });
}

function tokenIds(rows: readonly ForwardRow[]): OnnxTensor {
  const length = rows[0]!.tokens.length;
  const ids = new BigInt64Array(rows.length * length);
  let position = 0;
  for (const { tokens } of rows) for (const token of tokens) ids[position++] = BigInt(token);
  return createTensor('int64', ids, [rows.length, length]);
}

/** Whether these are the logits of at least the last `keep` tokens of each row. */
function hasShape({ dims }: OnnxTensor, rows: number, keep: number): boolean {
  return dims.length === 3 && dims[0] === rows && dims[1]! >= keep && dims[2]! > 0;
}

/** Copies the logits of the last `keep` tokens of each row out of `[rows, tokens, vocabulary]`. @param most of a token */
function lastLogits(logits: OnnxTensor, rows: number, keep: number, most: number): Float32Array[][] {
  const [, given = 1, vocabulary = 0] = logits.dims;
  const { data } = logits;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: keep }, (_, index) => {
      const start = ((row + 1) * given - keep + index) * vocabulary;
      const part = data.subarray(start, start + Math.min(vocabulary, most));
      return part instanceof Float32Array ? part.slice() : toFloat32(part);
    }),
  );
}
