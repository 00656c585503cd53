import { afterEach, expect, it, vi } from 'vitest';
import { createUuid } from '../../../src/core/platform/create-uuid.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => vi.unstubAllGlobals());

it.each(['a secure context', 'another context'])('makes uuids of version 4, each another, in %s', (context) => {
  if (context === 'another context') vi.stubGlobal('crypto', {});
  const made = Array.from({ length: 100 }, createUuid);
  for (const uuid of made) expect(uuid).toMatch(UUID);
  expect(new Set(made).size).toBe(100);
});
