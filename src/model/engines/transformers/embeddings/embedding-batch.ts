/** Runs one batch of texts and pools the model's hidden states to one vector per text. @module */
import { createTensor, type OnnxTensor, toFloat32 } from '../text/onnx-session.js';
import { normaliseVector } from '../../normalise-vector.js';

/** The part of ONNX Runtime's session that is used here. */
export interface EmbeddingSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, OnnxTensor>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
}

/** Names of outputs: pooled vectors, which are preferred, and hidden states. */
const POOLED_OUTPUTS = ['sentence_embedding', 'text_embeds'];
const HIDDEN_OUTPUTS = ['last_hidden_state', 'token_embeddings', 'logits'];

/** Runs `batch` (token ids per text, special tokens included) and gives one pooled vector per text, not normalised. */
export async function runEmbeddingBatch(
  session: EmbeddingSession,
  batch: readonly (readonly number[])[],
  options: { pooling: Pooling; padToken: number },
): Promise<Float32Array[]> {
  const output = outputOf(session);
  const results = await session.run(feedsFor(session, batch, options.padToken), [output]);
  const tensor = results[output]!;
  const data = toFloat32(await tensor.getData());
  const width = tensor.dims.at(-1)!;
  const pooled = tensor.dims.length === 2;
  const tokens = pooled ? 1 : tensor.dims[1]!;
  tensor.dispose();
  return batch.map((ids, row) =>
    pooled
      ? data.slice(row * width, (row + 1) * width)
      : poolVector({ data, tokens, width }, row, ids.length, options.pooling),
  );
}

/** Numbers per vector, found by running one short text. */
export async function measureWidth(
  session: EmbeddingSession,
  sample: readonly number[],
  options: { pooling: Pooling; padToken: number },
): Promise<number> {
  const [vector] = await runEmbeddingBatch(session, [sample], options);
  return normaliseVector(vector!).length;
}

function outputOf(session: EmbeddingSession): string {
  const known = [...POOLED_OUTPUTS, ...HIDDEN_OUTPUTS].find((name) => session.outputNames.includes(name));
  return known ?? session.outputNames[0]!;
}

function feedsFor(session: EmbeddingSession, batch: readonly (readonly number[])[], padToken: number) {
  const rows = batch.length;
  const columns = Math.max(...batch.map((ids) => ids.length));
  const size = rows * columns;
  const values: Record<string, BigInt64Array> = {
    input_ids: new BigInt64Array(size).fill(BigInt(padToken)),
    attention_mask: new BigInt64Array(size),
    token_type_ids: new BigInt64Array(size),
    position_ids: new BigInt64Array(size),
  };
  for (const [row, ids] of batch.entries()) {
    for (const [column, id] of ids.entries()) {
      const at = row * columns + column;
      values['input_ids']![at] = BigInt(id);
      values['attention_mask']![at] = 1n;
      values['position_ids']![at] = BigInt(column);
    }
  }
  const feeds: Record<string, OnnxTensor> = {};
  for (const name of session.inputNames) {
    const data = values[name];
    if (data) feeds[name] = createTensor('int64', data, [rows, columns]);
  }
  return feeds;
}

/** How a model pools its tokens: the mean of all, the first (`[CLS]`), or the last one before the padding. */
type Pooling = 'mean' | 'cls' | 'last-token';

/** One batch's hidden states, row-major `[texts, tokens, width]`, texts padded on the right. */
interface HiddenStates {
  data: Float32Array;
  tokens: number;
  width: number;
}

/**
 * The pooled vector of one text of the batch, not normalised.
 * @param length real tokens of this text, special ones included
 */
export function poolVector(states: HiddenStates, row: number, length: number, pooling: Pooling): Float32Array {
  const { data, tokens, width } = states;
  const start = row * tokens * width;
  if (pooling === 'cls') return data.slice(start, start + width);
  if (pooling === 'last-token') return data.slice(start + (length - 1) * width, start + length * width);
  const vector = new Float32Array(width);
  for (let token = 0; token < length; token++) {
    const offset = start + token * width;
    for (let i = 0; i < width; i++) vector[i]! += data[offset + i]!;
  }
  for (let i = 0; i < width; i++) vector[i]! /= length;
  return vector;
}

/** What a model's own files say. */
interface PoolingFiles {
  /** `1_Pooling/config.json` of sentence-transformers. */
  pooling?: unknown;
  /** Hub id or folder name. */
  name: string;
}

/** Model families whose repositories for transformers.js lack the pooling file. */
const FAMILIES: readonly [RegExp, Pooling][] = [
  [/\bbge-|snowflake-arctic-embed|mxbai-embed|\bgte-(base|large)-en-v1\.5/i, 'cls'],
  [/qwen3-embedding|e5-mistral|gte-qwen/i, 'last-token'],
];

/** The pooling to use; `mean` when nothing is known, as most sentence models have it. */
export function detectPooling(files: PoolingFiles): Pooling {
  if (typeof files.pooling === 'object' && files.pooling !== null) {
    const config = files.pooling as Record<string, unknown>;
    if (config['pooling_mode_cls_token'] === true) return 'cls';
    if (config['pooling_mode_lasttoken'] === true) return 'last-token';
    if (config['pooling_mode_mean_tokens'] === true) return 'mean';
  }
  return FAMILIES.find(([pattern]) => pattern.test(files.name))?.[1] ?? 'mean';
}
