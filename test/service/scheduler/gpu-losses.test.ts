import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { GpuLosses } from '../../../src/service/scheduler/gpu-losses.js';

const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'gguf' };
const MINUTE = 60_000;

function lostAt(...minutes: number[]): GpuLosses {
  let now = 0;
  const losses = new GpuLosses(() => now);
  for (const minute of minutes) {
    now = minute * MINUTE;
    losses.note(entry, { device: 'webgpu' });
  }
  return losses;
}

describe('[W68] a GPU that is lost', () => {
  it.each([[[]], [[3]], [[0, 11]], [[0, 11, 22]]])('at minutes %j is tried again', (minutes) => {
    const losses = lostAt(...minutes);
    expect(losses.entryFor(entry)).toBe(entry);
    expect(losses.reason).toBeUndefined();
  });

  it('by another engine, or on WASM, is none', () => {
    const losses = new GpuLosses(() => 0);
    for (let loss = 0; loss < 3; loss++) {
      losses.note(entry, { device: 'wasm' });
      losses.note({ backend: 'web-llm' }, { device: 'webgpu' });
    }
    expect(losses.reason).toBeUndefined();
  });

  it('twice within ten minutes is left for WASM, by `webgpu` until the page is loaded again', () => {
    const losses = lostAt(0, 11, 20);
    expect(losses.entryFor(entry)).toEqual({ ...entry, device: 'wasm' });
    expect(losses.reason).toMatch(/lost twice within ten minutes/);
    expect(() => losses.entryFor({ ...entry, device: 'webgpu' })).toThrow(
      expect.objectContaining({ code: 'unavailable' }) as Error,
    );
  });
});
