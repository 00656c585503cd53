/** How the vectors of a text's tokens become one, and how that is found out. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { type Pooling, POOLINGS } from '../../core/models/embedding-fields.js';

/** One batch's hidden states, row-major `[texts, tokens, width]`, texts padded on the right. */
interface HiddenStates {
  data: Float32Array;
  tokens: number;
  width: number;
}

/** A text as the model reads it. */
export interface TokenizedText {
  /** Special tokens included. */
  ids: readonly number[];
  /** The first token that is pooled: behind the prompt where the model wants that, else 0. */
  pooledFrom: number;
  length: number;
}

/** The tokens of one text that are pooled: from `start` to before `end`. */
interface TokenVectors {
  at: (token: number) => Float32Array;
  start: number;
  end: number;
}

const POOL: Readonly<Record<Pooling, (tokens: TokenVectors) => Float32Array>> = {
  // The first token of all, also where a prompt is left out.
  cls: ({ at }) => at(0).slice(),
  lasttoken: ({ at, end }) => at(end - 1).slice(),
  max: ({ at, start, end }) => {
    const most = at(start).slice();
    for (let token = start + 1; token < end; token++)
      for (const [index, value] of at(token).entries()) most[index] = Math.max(most[index]!, value);
    return most;
  },
  mean: (tokens) => scaled(weightedSum(tokens, 1), tokens.end - tokens.start),
  mean_sqrt_len_tokens: (tokens) => scaled(weightedSum(tokens, 1), Math.sqrt(tokens.end - tokens.start)),
  weightedmean: (tokens) =>
    scaled(weightedSum(tokens, 'place'), ((tokens.start + 1 + tokens.end) * (tokens.end - tokens.start)) / 2),
};

/**
 * The pooled vector of one text of the batch, not normalized; the results of several poolings are joined.
 */
export function poolVector(
  { data, tokens, width }: HiddenStates,
  row: number,
  { length, pooledFrom }: TokenizedText,
  poolings: readonly Pooling[],
): Float32Array {
  const offset = row * tokens * width;
  const at = (token: number): Float32Array => data.subarray(offset + token * width, offset + (token + 1) * width);
  const pooled = poolings.map((pooling) => POOL[pooling]({ at, start: pooledFrom, end: length }));
  if (pooled.length === 1) return pooled[0]!;
  const joined = new Float32Array(width * pooled.length);
  for (const [index, vector] of pooled.entries()) joined.set(vector, index * width);
  return joined;
}

/** @param weight of each token: 1, or its place, counted from 1 */
function weightedSum({ at, start, end }: TokenVectors, weight: 1 | 'place'): Float32Array {
  const sum = new Float32Array(at(start).length);
  for (let token = start; token < end; token++) {
    const vector = at(token);
    const factor = weight === 1 ? 1 : token + 1;
    for (let index = 0; index < sum.length; index++) sum[index]! += factor * vector[index]!;
  }
  return sum;
}

function scaled(vector: Float32Array, divisor: number): Float32Array {
  for (let index = 0; index < vector.length; index++) vector[index]! /= divisor;
  return vector;
}

/**
 * Models whose repositories often lack the pooling file. The first match counts: newer models of a family may pool otherwise.
 */
const FAMILIES: readonly [RegExp, Pooling][] = [
  [/qwen3-embedding|gte-qwen|e5-mistral|bge-(multilingual-gemma2|en-icl)|jina-embeddings-v5/i, 'lasttoken'],
  [/mxbai-embed-xsmall|embeddinggemma|modernbert-embed|nomic-embed|jina-embeddings-v[23]|multi-qa-.*-cos/i, 'mean'],
  [/\ball-(minilm|mpnet|distilroberta|roberta)|\bparaphrase-|\bgte-(tiny|small|base|large)(?!-(en-v|zh))/i, 'mean'],
  [/\b(multilingual-)?e5-(small|base|large)/i, 'mean'],
  [/\bbge-|snowflake-arctic-embed|mxbai-embed|\bgte-|granite-embedding|\buae-|\bember-v1|\bgist-/i, 'cls'],
  [/multi-qa-.*-dot|msmarco-.*-tas-b/i, 'cls'],
];

/** What is known of a model's pooling. */
interface PoolingFacts {
  /** `pooling` of the catalog entry. */
  configured: Pooling | undefined;
  /** The pooling module's parsed `config.json` of sentence-transformers, where the model has one. */
  file: unknown;
  /** Hub id or folder name. */
  name: string;
  /** Each token sees only those before it, so that the last one has seen all. */
  isDecoder: boolean;
}

/**
 * The entry's pooling, else the one of the model's own file, of its family, or of decoders. Undefined: nothing tells.
 * @throws InferenceError `model_not_supported` when the file names one that is not known
 */
export function detectPooling({ configured, file, name, isDecoder }: PoolingFacts): readonly Pooling[] | undefined {
  if (configured !== undefined) return [configured];
  const own = readPooling(file);
  if (own) return own;
  const known = poolingOfFamily(name) ?? (isDecoder ? 'lasttoken' : undefined);
  return known === undefined ? undefined : [known];
}

/**
 * The pooling that nothing but a model's name tells, so that a copy under another name needs it in its entry.
 * @param file see {@link PoolingFacts}
 */
export function poolingOfName(name: string, file: unknown): Pooling | undefined {
  return readPooling(file) ? undefined : poolingOfFamily(name);
}

function poolingOfFamily(name: string): Pooling | undefined {
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

/** Fields of files before sentence-transformers 5.4. */
const OLD_FIELDS: readonly (readonly [string, Pooling])[] = [
  ['pooling_mode_cls_token', 'cls'],
  ['pooling_mode_max_tokens', 'max'],
  ['pooling_mode_mean_tokens', 'mean'],
  ['pooling_mode_mean_sqrt_len_tokens', 'mean_sqrt_len_tokens'],
  ['pooling_mode_weightedmean_tokens', 'weightedmean'],
  ['pooling_mode_lasttoken', 'lasttoken'],
];

function readPooling(file: unknown): readonly Pooling[] | undefined {
  if (typeof file !== 'object' || file === null) return undefined;
  const config = file as Record<string, unknown>;
  const modes = config['pooling_mode'];
  if (modes === undefined) {
    if (!OLD_FIELDS.some(([field]) => field in config)) return undefined;
    const active = OLD_FIELDS.filter(([field]) => config[field] === true).map(([, pooling]) => pooling);
    return active.length > 0 ? active : ['mean'];
  }
  const named: unknown[] = [modes].flat();
  const unknown = named.find((mode) => !(POOLINGS as readonly unknown[]).includes(mode));
  if (unknown === undefined && named.length > 0) return named as Pooling[];
  throw new InferenceError(
    'model_not_supported',
    `The pooling \`${String(unknown)}\` of this model is not known here.`,
    {
      param: 'model',
    },
  );
}
