/** One padded batch through the ONNX session. @module */
import { createTensor, type OnnxTensor, toFloat32 } from '../text/onnx-session.js';
import { normaliseVector } from '../../normalise-vector.js';
import { type Pooling, poolVector } from './pool-vectors.js';

/** The part of ONNX Runtime's session that is used here. */
export interface EmbeddingSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, OnnxTensor>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
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
