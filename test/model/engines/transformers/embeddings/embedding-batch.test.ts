import { describe, expect, it } from 'vitest';
import { detectPooling, poolVector } from '../../../../../src/model/engines/transformers/embeddings/embedding-batch.js';
import { normaliseVector } from '../../../../../src/model/engines/normalise-vector.js';

describe('detectPooling', () => {
  it('follows the sentence-transformers file before the name', () => {
    const name = 'Xenova/bge-small-en-v1.5';
    expect(detectPooling({ name, pooling: { pooling_mode_mean_tokens: true } })).toBe('mean');
    expect(detectPooling({ name, pooling: { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false } })).toBe(
      'cls',
    );
  });

  it('knows families by name and takes the mean otherwise', () => {
    expect(detectPooling({ name: 'Xenova/bge-small-en-v1.5' })).toBe('cls');
    expect(detectPooling({ name: 'onnx-community/Qwen3-Embedding-0.6B-ONNX' })).toBe('last-token');
    expect(detectPooling({ name: 'Xenova/all-MiniLM-L6-v2' })).toBe('mean');
  });
});

describe('poolVector', () => {
  // Two texts of three tokens of width 2; the second has one real token.
  const states = { data: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 99, 99, 99, 99]), tokens: 3, width: 2 };

  it('reads only the real tokens', () => {
    expect([...poolVector(states, 0, 3, 'mean')]).toEqual([3, 4]);
    expect([...poolVector(states, 1, 1, 'mean')]).toEqual([7, 8]);
    expect([...poolVector(states, 0, 3, 'cls')]).toEqual([1, 2]);
    expect([...poolVector(states, 0, 2, 'last-token')]).toEqual([3, 4]);
  });

  it('leaves a zero vector zero when normalising', () => {
    expect([...normaliseVector(new Float32Array(2))]).toEqual([0, 0]);
  });
});
