/** The list of models to begin with. */
import { prebuiltAppConfig } from '@mlc-ai/web-llm';
import { describe, expect, it } from 'vitest';
import { LISTED_MODELS } from '../../../src/core/models/listed-models.js';
import { recommend } from '../../../src/core/models/recommended-models.js';
import { ARCHITECTURES } from '../../../src/engines/gguf/architectures.js';
import { resolveOptions } from '../../../src/page/resolve-options.js';
import { isHubId } from '../../../src/core/models/entry-files.js';
import { MODEL_CLASSES, type ModelClasses } from '../../../src/engines/transformers/repository/model-classes.js';

const classes: readonly ModelClasses[] = MODEL_CLASSES;

describe.each(LISTED_MODELS.map((model) => [model.source, model] as const))('%s', (source, model) => {
  it('is there for its engine, whose class or architecture runs for its task', () => {
    const found = classes.find(({ types }) => types.includes(model.modelType));
    const runs = {
      gguf: isHubId(source) && Object.hasOwn(ARCHITECTURES, model.modelType),
      transformers: isHubId(source) && found?.tasks.includes(model.task),
      'web-llm': prebuiltAppConfig.model_list.some(
        ({ model_id: id, vram_required_MB: memory = 0 }) => id === source && Math.round(memory) === model.gpuMemoryMB,
      ),
    };
    expect(runs[model.backend]).toBe(true);
  });

  it('says where its sizes were read, and when', () => {
    expect(model.figures.source).not.toBe('');
    expect(model.figures.date).toMatch(/^20\d\d-\d\d$/);
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
      expect(new Set(tasks)).toEqual(new Set(['chat', 'embeddings', 'rerank', 'speech-to-text', 'text-to-speech']));
    }
  });

  it('takes 8 bits of ONNX files on WASM, and on WebGPU 4 bits for chat and 32 for others, as `auto` does', () => {
    const dtypes = (filter: Parameters<typeof recommend>[0], backend = 'transformers') =>
      new Set(recommend(filter).flatMap((model) => (model.backend === backend ? [model.dtype] : [])));
    expect(dtypes({ device: 'wasm' })).toEqual(new Set(['q8']));
    expect(dtypes({ device: 'webgpu', task: 'chat' })).toEqual(new Set(['q4f16']));
    expect(dtypes({ device: 'webgpu', task: 'speech-to-text' })).toEqual(new Set(['fp32']));
    expect(dtypes({ device: 'webgpu', task: 'chat' }, 'gguf')).toEqual(
      dtypes({ device: 'wasm', task: 'chat' }, 'gguf'),
    );
    expect(dtypes({ device: 'wasm' }, 'web-llm')).toEqual(new Set());
  });

  it.each(['wasm', 'webgpu'] as const)('gives entries for %s that `startInference` takes as they are', (device) => {
    const models = recommend({ device }).map(({ entry }) => entry);
    const page = { origin: 'https://app.test', pageURL: 'https://app.test/' };
    expect(resolveOptions({ models }, page).gateway.models).toEqual(models);
  });

  it('leaves out what is larger than asked, and begins with the largest that is not', () => {
    const sizes = recommend({ task: 'chat', device: 'webgpu', maxBytes: 1.1e9 }).map(({ bytes }) => bytes);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1.1e9);
    expect(recommend({ maxBytes: 1e6 })).toEqual([]);
  });
});
