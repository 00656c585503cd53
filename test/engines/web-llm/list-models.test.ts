import { describe, expect, it } from 'vitest';
import { quantizationOf } from '../../../src/engines/web-llm/model-record.js';
import { listWebLlmModels } from '../../../src/engines/web-llm/list-models.js';

describe('listWebLlmModels', () => {
  it('tells sizes and needs of WebLLM’s chat models, smallest first', () => {
    const models = listWebLlmModels();
    expect(models.length).toBeGreaterThan(100);
    expect(models.find(({ id }) => id === 'Llama-3.2-1B-Instruct-q4f16_1-MLC')).toMatchObject({
      repository: 'https://huggingface.co/mlc-ai/Llama-3.2-1B-Instruct-q4f16_1-MLC',
      gpuMemoryMB: expect.closeTo(879, 0),
      lowResource: true,
      contextLength: 4096,
      quantization: 'q4f16_1',
    });
    const sizes = models.map(({ gpuMemoryMB }) => gpuMemoryMB ?? Infinity);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(models.some(({ id }) => id.includes('embed'))).toBe(false);
    for (const { quantization, requiredFeatures } of models) {
      expect(requiredFeatures).toEqual(quantization?.includes('f16') ? ['shader-f16'] : []);
    }
    expect(models.filter(({ images }) => images).map(({ id }) => id)).toEqual([
      'Phi-3.5-vision-instruct-q4f16_1-MLC',
      'Phi-3.5-vision-instruct-q4f32_1-MLC',
    ]);
    expect(structuredClone(models)).toEqual(models);
  });

  it('estimates downloads: real sizes are within a fifth', () => {
    const models = listWebLlmModels();
    const known = { 'SmolLM2-135M-Instruct-q0f16-MLC': 270, 'Llama-3.2-1B-Instruct-q4f16_1-MLC': 695 };
    for (const [id, real] of Object.entries(known)) {
      const { downloadMB } = models.find((model) => model.id === id)!;
      expect(Math.abs(downloadMB! / real - 1), `${id}: ${downloadMB}`).toBeLessThan(0.2);
    }
    // Weights are most of what a model needs on the GPU, never more.
    const odd = models.filter(({ downloadMB, gpuMemoryMB }) => downloadMB! > gpuMemoryMB! * 1.05);
    expect(odd.map(({ id, downloadMB, gpuMemoryMB }) => `${id} ${downloadMB} ${gpuMemoryMB}`)).toEqual([]);
  });

  it('reads the quantisation from a name', () => {
    expect(quantizationOf('Qwen3-8B-q4f16_1-MLC')).toBe('q4f16_1');
    expect(quantizationOf('SmolLM2-135M-Instruct-q0f32-MLC')).toBe('q0f32');
    expect(quantizationOf('mine')).toBeUndefined();
  });
});
