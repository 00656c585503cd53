import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLoop, type DecodeRun } from '../../../src/language/decoding/decode-loop.js';
import { collectEvents, textOf } from '../../support/token-events.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { END, type FakeEngineOptions, fakeTextEngine, VOCABULARY } from './fake-text-engine.js';

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

async function run(
  options: FakeEngineOptions,
  prompt: string,
  { cap = 60, ...changes }: Partial<GenerationRequest> & { cap?: number } = {},
) {
  const engine = fakeTextEngine(options);
  const settings: DecodeRun = {
    engine,
    request: { ...plainGenerationRequest('fake', { type: 'raw', text: prompt }), ...changes },
    promptTokens: bytes(prompt),
    images: [],
    reasoningOpen: false,
    reasoning: undefined,
    cap,
    constraint: undefined,
  };
  const events = await collectEvents(decodeLoop(settings, new AbortController().signal));
  const read = engine.decodes.flat(2).length;
  const decoded = read - engine.rolledBack;
  return { events, text: textOf(events), passes: engine.decodes.length, read, decoded };
}

/** Says the given text, whatever it is asked. */
const says = (text: string): FakeEngineOptions => ({ text });

describe('speculative decoding', () => {
  const given = 'The quick brown fox jumps over the lazy dog.';

  it('writes a given text again in far fewer passes', async () => {
    const edited = given.replace('brown', 'red');
    const plain = await run(says(edited), given);
    const ahead = await run({ ...says(edited), speculates: true }, given);
    expect(ahead.events).toEqual(plain.events);
    expect(ahead.decoded).toBe(plain.decoded);
    expect(ahead.passes).toBeLessThan(plain.passes / 2);
  });

  it('costs next to nothing where nothing comes again', async () => {
    const text = Array.from({ length: 90 }, (_, place) => String.fromCharCode(33 + ((place * 53) % 90))).join('');
    const plain = await run(says(text), given, { cap: 100 });
    const ahead = await run({ ...says(text), speculates: true }, given, { cap: 100 });
    expect(ahead.events).toEqual(plain.events);
    expect(ahead.passes).toBeLessThanOrEqual(plain.passes);
    expect(ahead.read - plain.read).toBeLessThan(plain.read * 0.1);
  });

  it('stops where the answer ends, is cut or meets a stop sequence, in the middle of a draft', async () => {
    for (const changes of [{ cap: 20 }, { stop: ['fox'] }, { cap: 100 }]) {
      const plain = await run(says(given), given, changes);
      const ahead = await run({ ...says(given), speculates: true }, given, changes);
      expect(ahead.events).toEqual(plain.events);
    }
  });

  it('changes no token of any model, at any temperature, with log-probabilities or without', async () => {
    const setting = fc.record({
      // Few tokens, so that runs of three come again, by chance as well as not.
      tokens: fc.integer({ min: 2, max: 4 }),
      memory: fc.integer({ min: 1, max: 4 }),
      salt: fc.integer(),
      temperature: fc.constantFrom(0, 0.7, 1.5),
      repetitionPenalty: fc.constantFrom(1, 1.3),
      topLogprobs: fc.constantFrom(undefined, 2),
      prompt: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(setting, async ({ tokens, memory, salt, prompt, topLogprobs, ...sampling }) => {
        const logits = (said: readonly number[], into: Float32Array): void => {
          let hash = salt;
          for (const token of said.slice(-memory)) hash = Math.imul(hash ^ token, 0x9e3779b1);
          for (let token = 0; token < tokens; token++) into[97 + token] = ((hash >>> (token * 5)) & 31) / 8;
          into[END] = -5;
          into.fill(-Infinity, VOCABULARY);
        };
        const request = {
          sampling: { ...sampling, seed: 7 },
          ...(topLogprobs !== undefined && { topLogprobs }),
        };
        const plain = await run({ logits }, `x${prompt}`, request);
        const ahead = await run({ logits, speculates: true }, `x${prompt}`, request);
        expect(ahead.events).toEqual(plain.events);
      }),
      { numRuns: 150 },
    );
  });
});
