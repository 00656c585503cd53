/** Browsers without relaxed SIMD, as Safari is. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { collectEvents, piecesOf } from '../../support/token-events.js';
import { tinyModel } from './support/tiny-model.js';

describe('[W17] without relaxed SIMD', () => {
  beforeAll(() => {
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
  });
  afterAll(() => vi.restoreAllMocks());

  it('a model answers, and the app is told how much slower it is', async () => {
    const warnings: string[] = [];
    const model = await tinyModel({}, {}, { warn: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringMatching(/relaxed SIMD .* prompts take about twice as long/)]);
    const request = { ...plainGenerationRequest('tiny', { type: 'raw', text: 'Hello' }), maxTokens: 8 };
    expect(piecesOf(await collectEvents(model.generate(request, new AbortController().signal))).length).toBeGreaterThan(
      0,
    );
  });
});
