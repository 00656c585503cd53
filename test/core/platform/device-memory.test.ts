/** What a device counts as, and what that allows, where its browser says nothing. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { deviceMemory, tellDeviceMemory } from '../../../src/core/platform/device-memory.js';
import { defaultMemoryBudget } from '../../../src/service/scheduler/memory-budget.js';
import { prefixCacheBytes, tellPrefixCacheBytes } from '../../../src/language/prefix-cache/prefix-cache-bytes.js';

/** @param gigabytes what the browser says; undefined: nothing, as Firefox, Safari and all browsers of iPhones */
function onDevice(gigabytes: number | undefined, pointer: 'coarse' | 'fine'): void {
  vi.stubGlobal('navigator', gigabytes === undefined ? {} : { deviceMemory: gigabytes });
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === `(pointer: ${pointer})` }));
}

const GB = 2 ** 30;

// Tests of other files, whose modules these are too, may have told something.
beforeEach(() => {
  tellDeviceMemory(undefined);
  tellPrefixCacheBytes(undefined);
});

it.each([
  [undefined, 'coarse', 2],
  [undefined, 'fine', 8],
  [4, 'coarse', 4],
  [0.5, 'fine', 0.5],
] as const)(
  'a browser that says %s, with a pointer that is %s, counts as %d GB everywhere',
  (said, pointer, counts) => {
    onDevice(said, pointer);
    expect(deviceMemory()).toBe(counts);
    expect(defaultMemoryBudget()).toBe((counts / 2) * GB);
    expect(prefixCacheBytes()).toBe(Math.max(2, counts) * (GB / 16));
  },
);

it('a worker, which cannot see what touches it, takes what its page found', () => {
  onTestFinished(() => tellDeviceMemory(undefined));
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('matchMedia', undefined);
  expect(deviceMemory()).toBe(8);
  tellDeviceMemory(2);
  expect(deviceMemory()).toBe(2);
  expect(defaultMemoryBudget()).toBe(GB);
});
