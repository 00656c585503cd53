import { expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { CompiledConstraint } from '../../../src/language/constraints/token-constraint.js';
import { decodeLoop } from '../../../src/language/decoding/decode-loop.js';
import { collectEvents, textOf } from '../../support/token-events.js';
import { END, fakeTextEngine } from './fake-text-engine.js';

/** Letters, of which only those of `allowed` keep the lengths; the mask allows all. */
function lettersOf(allowed: string): CompiledConstraint & { asked: number; masked: number } {
  const isAllowed = (token: number): boolean => token === END || allowed.includes(String.fromCharCode(token));
  const constraint = {
    asked: 0,
    masked: 0,
    dispose: () => {},
    start: () => ({
      maskLogits: (logits: Float32Array) => (logits.fill(-Infinity, 0, 97), logits.fill(-Infinity, 123, END), true),
      accept: () => {},
      forcedTokens: () => [],
      likelyTokens: () => [],
      isComplete: () => false,
      lengths: {
        allows: (token: number) => ((constraint.asked += 1), isAllowed(token)),
        maskLogits: (logits: Float32Array) => {
          constraint.masked += 1;
          for (let token = 0; token < logits.length; token++) if (!isAllowed(token)) logits[token] = -Infinity;
        },
      },
      dispose: () => {},
    }),
  };
  return constraint;
}

async function written(allowed: string) {
  const constraint = lettersOf(allowed);
  // The earlier in the alphabet, the likelier.
  const logits = (tokens: readonly number[], into: Float32Array): void => {
    for (let letter = 97; letter < 123; letter++) into[letter] = 50 - (letter - 97);
    if (tokens.length > 2) into[END] = 60;
  };
  const run = {
    engine: fakeTextEngine({ logits }),
    request: plainGenerationRequest('fake', { type: 'raw', text: 'x' }),
    promptTokens: [120],
    images: [],
    reasoningOpen: false,
    reasoning: undefined,
    cap: 9,
    constraint,
  };
  const text = textOf(await collectEvents(decodeLoop(run, new AbortController().signal)));
  const { asked, masked } = constraint;
  return { text, asked, masked };
}

it('draws again what breaks a length, and looks at all tokens only when that goes on', async () => {
  // Two letters and the end, each asked about once.
  expect(await written('abc')).toEqual({ text: 'aa', asked: 3, masked: 0 });
  expect(await written('cd')).toEqual({ text: 'cc', asked: 7, masked: 0 });
  const { text, masked } = await written('z');
  expect(text).toBe('zz');
  expect(masked).toBe(2);
});
