/** The list of models to begin with. */
import { describe, expect, it } from 'vitest';
import { LISTED_MODELS, recommend } from '../../../src/core/models/recommended-models.js';
import { isHubId } from '../../../src/core/models/entry-files.js';
import { MODEL_CLASSES, type ModelClasses } from '../../../src/model/engines/transformers/repository/model-classes.js';

const classes: readonly ModelClasses[] = MODEL_CLASSES;

describe.each(LISTED_MODELS.map((model) => [model.source, model] as const))('%s', (source, model) => {
  it('is a hub id whose class runs for its task', () => {
    expect(isHubId(source)).toBe(true);
    const found = classes.find(({ types }) => types.includes(model.modelType));
    expect(found?.tasks).toContain(model.task);
  });

  it('has sizes that grow with the precision', () => {
    const { q8, q4f16, q4, fp16, fp32 } = model.megabytes;
    expect(q4f16 ?? 0).toBeLessThan(q4 ?? Infinity);
    expect(q8 ?? 0).toBeLessThan(fp16 ?? Infinity);
    expect(fp16 ?? 0).toBeLessThan(fp32 ?? Infinity);
  });
});

describe('recommend', () => {
  it('names each task on each device', () => {
    for (const device of ['wasm', 'webgpu'] as const) {
      const tasks = recommend({ device }).map(({ task }) => task);
      expect(new Set(tasks)).toEqual(new Set(['chat', 'embeddings', 'speech-to-text']));
    }
  });

  it('takes 8 bits on WASM, and on WebGPU 4 bits for chat and 32 for others, as `auto` does', () => {
    expect(new Set(recommend({ device: 'wasm' }).map(({ dtype }) => dtype))).toEqual(new Set(['q8']));
    expect(new Set(recommend({ device: 'webgpu', task: 'chat' }).map(({ dtype }) => dtype))).toEqual(
      new Set(['q4f16']),
    );
    expect(new Set(recommend({ device: 'webgpu', task: 'speech-to-text' }).map(({ dtype }) => dtype))).toEqual(
      new Set(['fp32']),
    );
  });

  it('leaves out what is larger than asked, and begins with the largest that is not', () => {
    const sizes = recommend({ task: 'chat', device: 'webgpu', maxBytes: 1.1e9 }).map(({ bytes }) => bytes);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1.1e9);
    expect(recommend({ maxBytes: 1e6 })).toEqual([]);
  });
});
