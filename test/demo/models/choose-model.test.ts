import { describe, expect, it } from 'vitest';
import { choose, type Device, recommendationOf } from '../../../demo/models/choose-model.js';
import { recommend } from '../../../src/core/models/recommended-models.js';

const WASM: Device = { device: 'wasm', hasHalfFloats: false, room: 1e10, memoryGB: 8 };
const GPU: Device = { device: 'webgpu', hasHalfFloats: true, room: 1e10, memoryGB: 8 };

const offered = (device: Device) => choose(recommend({ task: 'chat', device: device.device }), device);

describe('the chat model that a device is offered', () => {
  it('is the largest that it has room and memory for', () => {
    expect(offered(GPU)).toMatchObject({ bytes: 1.22e9, entry: { device: 'webgpu', dtype: 'q4f16' } });
    expect(offered({ ...GPU, memoryGB: 4 })!.bytes).toBeLessThan(6e8);
    expect(offered({ ...GPU, room: 4e8 })).toMatchObject({ entry: { id: 'SmolLM2-360M-Instruct' } });
    expect(offered(WASM)).toMatchObject({ entry: { id: 'Qwen2.5-0.5B-Instruct', device: 'wasm', dtype: 'q8' } });
  });

  it('is none where nothing fits', () => {
    expect(offered({ ...WASM, memoryGB: 2 })).toBeUndefined();
    expect(offered({ ...GPU, room: 1e6 })).toBeUndefined();
  });

  it('is in 32-bit floats, at their size, for a GPU without those of 16 bits', () => {
    expect(offered({ ...GPU, hasHalfFloats: false, room: 5e8 })).toMatchObject({
      bytes: 4.17e8,
      entry: { id: 'SmolLM2-360M-Instruct', dtype: 'q4' },
    });
    const [largest] = recommend({ task: 'chat', device: 'webgpu' });
    expect(recommendationOf(largest!, true).entry).toMatchObject({ dtype: 'q4f16', ownedBy: 'onnx-community' });
  });
});
