/** Runs one batch of texts and pools the model's hidden states to one vector per text. @module */
import type { Pooling } from '../../../core/models/embedding-fields.js';
import { normaliseVector } from '../../../language/embedding/normalise-vector.js';
import { type OnnxSession, type OnnxTensor, hasFixedBatchOfOne, toFloat32 } from '../ort/onnx-session.js';
import type { DenseLayer } from './dense-layer.js';
import { type FeedOptions, feedsFor, isTokenTable } from '../encoder/encoder-feeds.js';
import { poolVector, type TokenizedText } from '../../../language/embedding/pooling.js';

/** The part of ONNX Runtime's session that is used here. */
export interface EmbeddingSession extends Pick<OnnxSession, 'inputMetadata' | 'outputNames'> {
  run(feeds: Record<string, OnnxTensor>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
}

/** Names of outputs: pooled vectors, which are preferred, and hidden states. */
const POOLED_OUTPUTS = ['sentence_embedding', 'text_embeds'];
const HIDDEN_OUTPUTS = ['last_hidden_state', 'token_embeddings', 'logits'];

/** How a model's texts become vectors. */
export interface BatchOptions extends FeedOptions {
  poolings: readonly Pooling[];
  /** After the pooling, in order. A graph that pools has them inside. */
  layers: readonly DenseLayer[];
}

/** The graph gives one vector for each text, not for each token. */
export function poolsItself(session: Pick<EmbeddingSession, 'inputMetadata' | 'outputNames'>): boolean {
  return isTokenTable(session) || POOLED_OUTPUTS.some((name) => session.outputNames.includes(name));
}

/** Runs `batch` and gives one pooled vector per text, not normalized. */
export async function runEmbeddingBatch(
  session: EmbeddingSession,
  batch: readonly TokenizedText[],
  options: BatchOptions,
): Promise<Float32Array[]> {
  if (batch.length > 1 && hasFixedBatchOfOne(session)) {
    const vectors: Float32Array[] = [];
    for (const text of batch) vectors.push(...(await runEmbeddingBatch(session, [text], options)));
    return vectors;
  }
  const output = outputOf(session);
  const ids = batch.map((text) => text.ids);
  const results = await session.run(feedsFor(session, ids, options), [output]);
  const tensor = results[output]!;
  const data = toFloat32(await tensor.getData());
  const width = tensor.dims.at(-1)!;
  const pooled = tensor.dims.length === 2;
  const tokens = pooled ? 1 : tensor.dims[1]!;
  tensor.dispose();
  return batch.map((text, row) =>
    pooled
      ? data.slice(row * width, (row + 1) * width)
      : options.layers.reduce(
          (vector, layer) => layer(vector),
          poolVector({ data, tokens, width }, row, text, options.poolings),
        ),
  );
}

/** Numbers per vector, found by running one short text. */
export async function measureWidth(
  session: EmbeddingSession,
  sample: readonly number[],
  options: BatchOptions,
): Promise<number> {
  const text = { ids: sample, pooledFrom: 0, length: sample.length };
  const [vector] = await runEmbeddingBatch(session, [text], options);
  return normaliseVector(vector!).length;
}

function outputOf(session: EmbeddingSession): string {
  const known = [...POOLED_OUTPUTS, ...HIDDEN_OUTPUTS].find((name) => session.outputNames.includes(name));
  return known ?? session.outputNames[0]!;
}
