import { describe, expect, it } from 'vitest';
import type { CompiledConstraint, TokenConstraint } from '../../../src/language/constraints/token-constraint.js';
import { decodeLoop, type DecodeRun } from '../../../src/language/decoding/decode-loop.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { collectEvents, logprobsOf, piecesOf, textOf } from '../../support/token-events.js';
import { type FakeEngine, fakeTextEngine } from './fake-text-engine.js';

/**
 * A grammar that allows `pattern` only: `?` is any digit, everything else is forced.
 * @param settled false: what is forced may be drafted only, since it could be written by other tokens
 */
function patternGrammar(pattern: string, settled = true): CompiledConstraint & { open: number } {
  const allowed = (place: number): number[] =>
    pattern[place] === '?' ? Array.from('0123456789', (digit) => digit.charCodeAt(0)) : [pattern.charCodeAt(place)];
  const grammar = {
    open: 0,
    dispose: () => {},
    start(): TokenConstraint {
      grammar.open += 1;
      let place = 0;
      const forced = (): number[] => {
        const free = pattern.indexOf('?', place);
        return Array.from(pattern.slice(place, free < 0 ? undefined : free), (character) => character.charCodeAt(0));
      };
      return {
        maskLogits(logits) {
          for (let token = 0; token < logits.length; token++)
            if (!allowed(place).includes(token)) logits[token] = -Infinity;
          return true;
        },
        accept(token) {
          if (!allowed(place).includes(token)) throw new Error(`token ${token} at ${place}`);
          place += 1;
        },
        forcedTokens: () => (settled ? forced() : []),
        likelyTokens: () => (settled ? [] : forced()),
        isComplete: () => place === pattern.length,
        dispose: () => void (grammar.open -= 1),
      };
    },
  };
  return grammar;
}

async function run(pattern: string, changes: Partial<GenerationRequest> = {}, cap = 100, settled = true) {
  const logits = (_: readonly number[], into: Float32Array): void => void (into[0x37] = 5);
  const engine: FakeEngine = fakeTextEngine({ logits, speculates: !settled });
  const constraint = patternGrammar(pattern, settled);
  const request = { ...plainGenerationRequest('fake', { type: 'raw', text: 'x' }), ...changes };
  const settings: DecodeRun = {
    engine,
    request,
    promptTokens: [120],
    images: [],
    reasoningOpen: false,
    reasoning: undefined,
    cap,
    constraint,
  };
  const events = await collectEvents(decodeLoop(settings, new AbortController().signal));
  return { engine, constraint, events, text: textOf(events), tokens: piecesOf(events) };
}

describe('jump-forward', () => {
  it('appends forced tokens together, without sampling them', async () => {
    const { engine, text, tokens, events, constraint } = await run('{"age":?,"size":?}');
    expect(text).toBe('{"age":7,"size":7}');
    expect(tokens).toHaveLength(18);
    // A grammar reads all logits.
    expect(engine.needs).toEqual([{ type: 'all' }]);
    // The forced start in one piece, then the digit with what must follow it; nothing follows the last.
    expect(engine.decodes.map(([row]) => String.fromCharCode(...row!))).toEqual(['{"age":', '7,"size":']);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' });
    expect(constraint.open).toBe(0);
  });

  it('drafts what is forced by one way of writing it among others', async () => {
    const { engine, text, events, constraint } = await run('{"age":?,"size":?}', {}, 100, false);
    expect(text).toBe('{"age":7,"size":7}');
    expect(engine.decodes.map(([row]) => String.fromCharCode(...row!))).toEqual(['{"age":', '7,"size":', '7}']);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' });
    expect(constraint.open).toBe(0);
  });

  it('stops at the cap in the middle of what is forced', async () => {
    const { text, events } = await run('{"age":?}', {}, 3);
    expect(text).toBe('{"a');
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'length' });
  });

  it('writes the same one by one where every token needs its log-probability', async () => {
    const { engine, text, tokens, events } = await run('{"age":?}', { topLogprobs: 1 });
    expect(text).toBe('{"age":7}');
    expect(engine.decodes.every(([row]) => row!.length === 1)).toBe(true);
    expect(logprobsOf(events)).toHaveLength(tokens.length);
  });

  it('writes the same in every row of a batch', async () => {
    const { engine, events } = await run('{"age":?}', { n: 3 });
    for (const choice of [0, 1, 2]) expect(textOf(events, choice)).toBe('{"age":7}');
    expect(engine.decodes.every((rows) => rows.every((row) => row.length === 1))).toBe(true);
  });

  it('ends at a stop sequence inside what is forced', async () => {
    const { text, events } = await run('{"age":?}', { stop: ['ge"'] });
    expect(text).toBe('{"a');
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop', stopSequence: 'ge"' });
  });
});
