import { expect, it } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { EngineLoss } from '../../../src/engines/gguf/engine-loss.js';

it('a trap ends the engine, also for what was not asked yet', async () => {
  const engine = new EngineLoss();
  const trap = new WebAssembly.RuntimeError('unreachable');
  await expect(engine.guard(() => Promise.reject(trap))).rejects.toMatchObject({
    code: 'unavailable',
    details: { reason: 'unreachable' },
    cause: trap,
  });
  expect(await engine.lost).toMatchObject({ code: 'unavailable' });
  let asked = false;
  await expect(engine.guard(() => (asked = true))).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBe(false);
});

it('what was refused, or has no room, ends nothing', async () => {
  const engine = new EngineLoss();
  const full = new InferenceError('insufficient_resources', 'No room.');
  await expect(engine.guard(() => Promise.reject(full))).rejects.toBe(full);
  expect(await engine.guard(() => 5)).toBe(5);
});
