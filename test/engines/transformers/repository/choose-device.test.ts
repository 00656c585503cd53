import { afterEach, expect, it, vi } from 'vitest';
import { checkMemory, chooseDevice } from '../../../../src/engines/transformers/repository/choose-device.js';
import { readDeviceFacts } from '../../../../src/engines/web-llm/check-device.js';
import { browserEnvironment } from '../../../../src/engines/web-llm/web-llm-environment.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'transformers' };

it('a GPU process that owes an answer for long is no GPU', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { gpu: { requestAdapter: () => new Promise(() => {}) } });
  const chosen = chooseDevice(entry, 'm');
  const wished = chooseDevice({ ...entry, device: 'webgpu' }, 'm').catch((thrown: unknown) => thrown);
  const facts = readDeviceFacts(browserEnvironment).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(await chosen).toEqual({ device: 'wasm', halfFloats: false });
  expect(await wished).toMatchObject({ code: 'insufficient_resources' });
  expect(await facts).toMatchObject({ code: 'insufficient_resources' });
});

const large = { id: 'large', task: 'chat', backend: 'transformers' } as const;

it('refuses weights that WASM cannot address, and says so', () => {
  expect(() => checkMemory(large, 5 * 2 ** 30)).toThrow(
    expect.objectContaining({
      code: 'insufficient_resources',
      message: expect.stringContaining('5.0 GB') as string,
      details: { param: 'model', neededBytes: 5 * 2 ** 30 },
    }) as Error,
  );
  expect(() => checkMemory(large, 2 ** 30)).not.toThrow();
});
