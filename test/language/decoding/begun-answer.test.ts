/** Answers that another engine began: whoever goes on with them says what the first one would have said. */
import { describe, expect, it } from 'vitest';
import type { PieceEvent, TokenEvent } from '../../../src/core/events/token-event.js';
import {
  type BegunChoice,
  type GenerationRequest,
  plainGenerationRequest,
} from '../../../src/core/request/generation-request.js';
import type { CompiledConstraint } from '../../../src/language/constraints/token-constraint.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import { decodeLoop } from '../../../src/language/decoding/decode-loop.js';
import { collectEvents, piecesOf } from '../../support/token-events.js';
import { type FakeEngine, type FakeEngineOptions, fakeTextEngine } from './fake-text-engine.js';

/** Digits, letters and spaces with weights that depend on all tokens before them. */
const wandering = (tokens: readonly number[], logits: Float32Array): void => {
  let state = 7;
  for (const token of tokens) state = (Math.imul(state, 31) + token) >>> 0;
  for (let token = 32; token < 123; token++) logits[token] = (Math.imul(state ^ token, 2654435761) >>> 0) / 2 ** 30;
};

/**
 * `{"a":????,"bcd":????}` with any letters for the question marks; the rest is forced.
 * @param isOpen the mask allows all letters, and only half of them may be kept
 */
function grammar(isOpen: boolean): CompiledConstraint {
  const pattern = '{"a":????,"bcd":????}';
  const isKept = (token: number): boolean => token < 97 || token % 2 === 0;
  const lengths = {
    allows: isKept,
    maskLogits: (logits: Float32Array) => {
      for (let token = 0; token < logits.length; token++) if (!isKept(token)) logits[token] = -Infinity;
    },
  };
  return {
    dispose: () => {},
    start() {
      let place = 0;
      const isFree = (): boolean => pattern[place] === '?';
      return {
        ...(isOpen && { lengths }),
        maskLogits(logits) {
          for (let token = 0; token < logits.length; token++) {
            const isLetter = token >= 97 && token <= 122;
            if (isFree() ? !isLetter : token !== pattern.charCodeAt(place)) logits[token] = -Infinity;
          }
          return true;
        },
        accept: () => void (place += 1),
        forcedTokens: () => Array.from(/^[^?]+/.exec(pattern.slice(place))?.[0] ?? '', (each) => each.charCodeAt(0)),
        likelyTokens: () => [],
        isComplete: () => place === pattern.length,
        dispose: () => {},
      };
    },
  };
}

async function say(
  changes: Partial<GenerationRequest>,
  options: FakeEngineOptions & { constrained?: 'closed' | 'open' } = {},
): Promise<{ events: TokenEvent[]; engine: FakeEngine }> {
  const engine = fakeTextEngine({ logits: wandering, ...options });
  const request = { ...plainGenerationRequest('fake', { type: 'raw', text: 'x' }), maxTokens: 40, ...changes };
  const run = {
    engine,
    request,
    promptTokens: [120],
    images: [],
    reasoningOpen: false,
    reasoning: undefined,
    cap: 40,
    constraint: options.constrained && grammar(options.constrained === 'open'),
  };
  return { events: await collectEvents(decodeLoop(run, new AbortController().signal)), engine };
}

const tokensOf = (events: readonly TokenEvent[], choice: number): number[] =>
  piecesOf(events).flatMap((piece) => (piece.choice === choice ? [piece.token!] : []));

/** What is known of an answer after so many events. */
function knownAfter(events: readonly TokenEvent[], count: number, n: number): BegunChoice[] {
  const known = events.slice(0, count);
  return Array.from({ length: n }, (_, choice) => ({
    tokens: tokensOf(known, choice),
    ended: known.some((event) => event.type === 'end' && event.choice === choice),
  }));
}

/** Choices may come in another order, each of them not. */
const byChoice = (events: readonly TokenEvent[], n: number): TokenEvent[][] =>
  Array.from({ length: n }, (_, index) => events.filter((event) => 'choice' in event && event.choice === index));

const seeded = { sampling: { temperature: 1.5, seed: 3 } };

describe('an answer that is begun', () => {
  it.each<[string, Partial<GenerationRequest>, FakeEngineOptions & { constrained?: 'closed' | 'open' }]>([
    ['greedy', {}, {}],
    ['with a seed', seeded, {}],
    ['with drafts', seeded, { speculates: true }],
    ['with top_p and penalties', { sampling: { ...seeded.sampling, topP: 0.8, repetitionPenalty: 1.3 } }, {}],
    ['with log-probabilities', { ...seeded, topLogprobs: 2 }, {}],
    ['with a stop sequence', { ...seeded, stop: ['e', '5'] }, {}],
    ['with a grammar', seeded, { constrained: 'closed' }],
    ['with a grammar that leaves lengths open', seeded, { constrained: 'open' }],
    ['three choices', { ...seeded, n: 3 }, {}],
    ['three choices one after the other', { ...seeded, n: 3 }, { maxRows: 1 }],
    ['three choices with a stop sequence', { ...seeded, n: 3, stop: ['5'] }, { maxRows: 2 }],
  ])('goes on as it would have gone on, wherever it broke: %s', async (_, changes, options) => {
    const n = changes.n ?? 1;
    const { events } = await say(changes, options);
    expect(piecesOf(events).length).toBeGreaterThan(4);
    for (let count = 1; count <= events.length; count++) {
      const begun = knownAfter(events, count, n);
      const again = await say({ ...changes, begun }, options);
      expect(byChoice(again.events, n)).toEqual(byChoice(events, n));
    }
  });

  it('is read many tokens at a time', async () => {
    const { events } = await say({});
    const tokens = tokensOf(events, 0);
    const { engine } = await say({ begun: [{ tokens: tokens.slice(0, 30), ended: false }] });
    expect(engine.decodes[0]).toEqual([tokens.slice(0, 30)]);
    expect(engine.decodes).toHaveLength(10);
  });

  it('ends where it ended, also without a seed', async () => {
    const tokens = [72, 105];
    const { events, engine } = await say({ sampling: { temperature: 1 }, begun: [{ tokens, ended: true }] });
    expect(piecesOf(events).map((piece: PieceEvent) => piece.token)).toEqual(tokens);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop', rawOutput: 'Hi' });
    expect(engine.decodes).toEqual([]);
    const empty = await say({ begun: [{ tokens: [], ended: true }] });
    expect(empty.events.at(-1)).toMatchObject({ type: 'end', reason: 'stop', rawOutput: '' });
  });

  it('without a seed keeps what was said, and goes on', async () => {
    const { events } = await say({ sampling: { temperature: 1 }, begun: [{ tokens: [72, 105], ended: false }] });
    expect(tokensOf(events, 0).slice(0, 2)).toEqual([72, 105]);
    expect(tokensOf(events, 0)).toHaveLength(40);
  });

  it('by a model with other tokens is refused', async () => {
    const model = createTextModel(fakeTextEngine(), {
      info: { device: 'none', threads: 1 },
      unload: async () => {},
    });
    const request = {
      ...plainGenerationRequest('fake', { type: 'raw', text: 'x' }),
      begun: [{ tokens: [5, 100_000], ended: false }],
    };
    await expect(collectEvents(model.generate(request, new AbortController().signal))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
