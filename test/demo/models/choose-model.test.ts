import { describe, expect, it } from 'vitest';
import { choose, type Device, recommendationOf } from '../../../demo/models/choose-model.js';
import { recommend } from '../../../src/core/models/recommended-models.js';

const WASM: Device = { device: 'wasm', hasHalfFloats: false, room: 1e10, memoryGB: 8 };
const GPU: Device = { device: 'webgpu', hasHalfFloats: true, room: 1e10, memoryGB: 8 };

const offered = (device: Device) => choose(recommend({ task: 'chat', device: device.device }), device);

describe('the chat model that a device is offered', () => {
  it('is the largest that it has room and memory for', () => {
    expect(offered(GPU)).toMatchObject({ bytes: 1.07e9, entry: { device: 'webgpu', dtype: 'q4f16' } });
    expect(offered({ ...GPU, memoryGB: 4 })!.bytes).toBeLessThan(6e8);
    expect(offered({ ...GPU, room: 4e8 })).toMatchObject({
      entry: { id: 'Qwen3-0.6B-GGUF', backend: 'gguf' },
    });
    expect(offered(WASM)).toMatchObject({
      entry: { id: 'Qwen3-0.6B-GGUF', backend: 'gguf', file: '*0.6B-Q4_K_M.gguf' },
    });
  });

  it('is none where nothing fits', () => {
    expect(offered({ ...WASM, room: 2e8 })).toBeUndefined();
    expect(offered({ ...GPU, room: 1e6 })).toBeUndefined();
  });

  it('is in 32-bit floats, at their size, for a GPU without those of 16 bits', () => {
    const half = { ...GPU, hasHalfFloats: false };
    expect(offered({ ...half, room: 4.3e8 })).toMatchObject({
      bytes: 4.17e8,
      entry: { id: 'SmolLM2-360M-Instruct', dtype: 'q4' },
    });
    expect(offered({ ...half, room: 4e8 })).toMatchObject({ entry: { source: 'unsloth/Qwen3-0.6B-GGUF' } });
    const [largest] = recommend({ task: 'chat', device: 'webgpu' });
    expect(recommendationOf(largest!, true).entry).toMatchObject({ dtype: 'q4f16', ownedBy: 'onnx-community' });
  });
});
