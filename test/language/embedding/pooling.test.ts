import { describe, expect, it } from 'vitest';
import { detectPooling, poolVector } from '../../../src/language/embedding/pooling.js';
import type { Pooling } from '../../../src/core/models/embedding-fields.js';
import { normaliseVector } from '../../../src/language/embedding/normalise-vector.js';

describe('detectPooling', () => {
  const unknown = { configured: undefined, file: undefined, isDecoder: false };

  it('follows the entry, then the sentence-transformers file, then the name', () => {
    const facts = { ...unknown, name: 'Xenova/bge-small-en-v1.5' };
    expect(detectPooling({ ...facts, file: { pooling_mode_mean_tokens: true } })).toEqual(['mean']);
    const file = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false };
    expect(detectPooling({ ...facts, file })).toEqual(['cls']);
    expect(detectPooling({ ...facts, file, configured: 'max' })).toEqual(['max']);
  });

  it.each([
    ['Xenova/bge-small-en-v1.5', 'cls'],
    ['Xenova/bge-m3', 'cls'],
    ['BAAI/bge-multilingual-gemma2', 'lasttoken'],
    ['Snowflake/snowflake-arctic-embed-l-v2.0', 'cls'],
    ['mixedbread-ai/mxbai-embed-large-v1', 'cls'],
    ['mixedbread-ai/mxbai-embed-xsmall-v1', 'mean'],
    ['WhereIsAI/UAE-Large-V1', 'cls'],
    ['onnx-community/granite-embedding-small-english-r2-ONNX', 'cls'],
    ['Alibaba-NLP/gte-base-en-v1.5', 'cls'],
    ['onnx-community/gte-multilingual-base', 'cls'],
    ['Alibaba-NLP/gte-modernbert-base', 'cls'],
    ['Xenova/gte-small', 'mean'],
    ['onnx-community/gte-base-ONNX', 'mean'],
    ['onnx-community/Qwen3-Embedding-0.6B-ONNX', 'lasttoken'],
    ['onnx-community/embeddinggemma-300m-ONNX', 'mean'],
    ['nomic-ai/modernbert-embed-base', 'mean'],
    ['nomic-ai/nomic-embed-text-v1.5', 'mean'],
    ['jinaai/jina-embeddings-v3', 'mean'],
    ['Xenova/multilingual-e5-small', 'mean'],
    ['intfloat/e5-mistral-7b-instruct', 'lasttoken'],
    ['Xenova/all-MiniLM-L6-v2', 'mean'],
    ['Xenova/paraphrase-multilingual-MiniLM-L12-v2', 'mean'],
    ['Xenova/multi-qa-mpnet-base-dot-v1', 'cls'],
    ['Xenova/multi-qa-MiniLM-L6-cos-v1', 'mean'],
  ])('knows the family of %s: %s', (name, pooling) => {
    // Of one family whatever its class is.
    for (const isDecoder of [false, true]) expect(detectPooling({ ...unknown, name, isDecoder })).toEqual([pooling]);
  });

  it('takes the last token of other decoders, and knows nothing of others', () => {
    expect(detectPooling({ ...unknown, name: 'mine/thoughts', isDecoder: true })).toEqual(['lasttoken']);
    expect(detectPooling({ ...unknown, name: 'mine/thoughts' })).toBeUndefined();
  });
});

describe('poolVector', () => {
  // Two texts of three tokens of width 2; the second has one real token.
  const states = { data: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 99, 99, 99, 99]), tokens: 3, width: 2 };

  const text = (length: number, pooledFrom = 0) => ({ ids: [], length, pooledFrom });

  it('reads only the real tokens', () => {
    expect([...poolVector(states, 0, text(3), ['mean'])]).toEqual([3, 4]);
    expect([...poolVector(states, 1, text(1), ['mean'])]).toEqual([7, 8]);
    expect([...poolVector(states, 0, text(3), ['cls'])]).toEqual([1, 2]);
    expect([...poolVector(states, 0, text(2), ['lasttoken'])]).toEqual([3, 4]);
  });

  it.each<[Pooling, number[]]>([
    ['cls', [1, 2]],
    ['mean', [4, 5]],
    ['max', [5, 6]],
    ['lasttoken', [5, 6]],
    ['weightedmean', [(2 * 3 + 3 * 5) / 5, (2 * 4 + 3 * 6) / 5]],
    ['mean_sqrt_len_tokens', [8 / Math.SQRT2, 10 / Math.SQRT2]],
  ])('leaves out a prompt from %s as sentence-transformers does', (pooling, expected) => {
    const vector = poolVector(states, 0, text(3, 1), [pooling]);
    for (const [index, value] of expected.entries()) expect(vector[index]).toBeCloseTo(value, 5);
  });

  it('leaves a zero vector zero when normalising', () => {
    expect([...normaliseVector(new Float32Array(2))]).toEqual([0, 0]);
  });
});
