/** The bundled models on onnxruntime-node, made to believe that they run on a GPU. */
import { env } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import { transformersBackend } from '../../../../src/engines/transformers/transformers-backend.js';
import { DEFAULT_MODELS } from '../../../../src/core/models/default-catalog.js';

type SourceModule = typeof import('../../../../src/engines/transformers/repository/model-source.js');

vi.mock('../../../../src/engines/transformers/repository/model-source.js', async (importOriginal) => {
  const original = await importOriginal<SourceModule>();
  const prepareSource: SourceModule['prepareSource'] = async (entry, options) => {
    const source = await original.prepareSource(entry, options);
    return { ...source, info: { ...source.info, device: 'webgpu' } };
  };
  return { ...original, prepareSource };
});

const folder = new URL('../../../../public/', import.meta.url).href;

async function loadOn(device: Pick<GPUDevice, 'lost'>, id: string): Promise<LoadedModel> {
  Object.assign(env.backends.onnx, { webgpu: { device } });
  const entry = { ...DEFAULT_MODELS.find((model) => model.id === id)!, source: `./models/${id}` };
  const { signal } = new AbortController();
  return transformersBackend.load(entry, { onProgress: () => {}, signal, assetsURL: folder, pageURL: folder });
}

const lostFor = (reason: GPUDeviceLostReason) =>
  ({ lost: Promise.resolve({ reason, message: '' } as GPUDeviceLostInfo) }) satisfies Pick<GPUDevice, 'lost'>;

afterEach(() => void Object.assign(env.backends.onnx, { webgpu: undefined }));

describe.each(['tiny-chat', 'tiny-embed', 'tiny-whisper'])('%s on a GPU', (id) => {
  it('says so when the device is lost', async () => {
    const model = await loadOn(lostFor('unknown'), id);
    await expect(model.lost).resolves.toMatchObject({ code: 'unavailable', details: { retryAfter: 5 } });
    await model.unload();
  });

  it('says nothing when the device was ended', async () => {
    const model = await loadOn(lostFor('destroyed'), id);
    const soon = new Promise<'silent'>((resolve) => setTimeout(() => resolve('silent'), 20));
    expect(await Promise.race([model.lost, soon])).toBe('silent');
    await model.unload();
  });
});
