/** One padded batch through the ONNX session. @module */
import { Tensor } from '@huggingface/transformers';
import { normaliseVector, type Pooling, poolVector } from './pool-vectors.js';

/** The part of ONNX Runtime's session that is used here; tensors are its own, not transformers.js's. */
export interface EmbeddingSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, unknown>, fetches: readonly string[]): Promise<Record<string, OutputTensor>>;
}

interface OutputTensor {
  readonly dims: readonly number[];
  getData(): Promise<unknown>;
  dispose(): void;
}

/** Outputs that are pooled already come first; then hidden states, by the names that exporters use. */
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
  const data = await floatsOf(tensor);
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
  const feeds: Record<string, unknown> = {};
  for (const name of session.inputNames) {
    const data = values[name];
    if (data) feeds[name] = new Tensor('int64', data, [rows, columns]).ort_tensor;
  }
  return feeds;
}

async function floatsOf(tensor: OutputTensor): Promise<Float32Array> {
  const data = await tensor.getData();
  if (data instanceof Float32Array) return data;
  // Half precision graphs: runtimes with Float16Array give that, others the raw bits.
  if (data instanceof Uint16Array) return Float32Array.from(data, halfToFloat);
  return Float32Array.from(data as ArrayLike<number>);
}

function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
