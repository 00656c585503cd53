/** A decoder that says what a table tells it, so that its doubts are known. */
import { describe, expect, it } from 'vitest';
import {
  decodeWindow,
  type WindowEngine,
  type WindowRun,
} from '../../../../src/engines/transformers/speech/decode-window.js';
import type { WhisperConfig } from '../../../../src/engines/transformers/speech/whisper-config.js';

/** Tokens 0 to 9 are text, then come the end, the start and "no speech". */
const [END, START, NO_SPEECH, SIZE] = [10, 11, 12, 13];
const facts = {
  maxTokens: 64,
  startToken: START,
  endToken: END,
  noSpeechToken: NO_SPEECH,
  alignmentHeads: [],
  suppressed: new Set<number>(),
  suppressedFirst: new Set<number>(),
} as unknown as WhisperConfig;

type Logits = Readonly<Record<number, number>>;

/** @param next logits after these tokens of the text; others are far below */
function engineOf(next: (text: readonly number[]) => Logits, quiet = 0): WindowEngine & { starts: number[][] } {
  const starts: number[][] = [];
  const start = async (_: unknown, prefix: readonly number[]) => {
    starts.push(prefix.slice(1));
    const text = prefix.slice(1);
    return {
      attention: [],
      logits(row?: number) {
        const logits = new Float32Array(SIZE).fill(-30);
        // At the start token: how probably nobody speaks.
        for (const [token, logit] of Object.entries(
          row === 0 ? { 0: 0, [NO_SPEECH]: Math.log(quiet / (1 - quiet)) } : next(text),
        ))
          logits[Number(token)] = logit;
        return logits;
      },
      append: async (token: number) => void text.push(token),
      close() {},
    };
  };
  const sessions = { start } as unknown as WindowEngine['sessions'];
  return { facts, sessions, tokenizer: { decode: (tokens) => tokens.map((id) => `word${id} `).join('') }, starts };
}

async function decode(engine: WindowEngine, changes: Partial<WindowRun> = {}) {
  const sound = {} as WindowRun['sound'];
  const run: WindowRun = {
    sound,
    prefix: [START],
    times: undefined,
    temperature: 0,
    signal: new AbortController().signal,
  };
  const steps = [];
  for await (const step of decodeWindow(engine, { ...run, ...changes })) steps.push(step);
  return { tokens: steps.map(({ token }) => token), temperatures: steps.map(({ temperature }) => temperature) };
}

describe('decodeWindow', () => {
  it('takes the most likely tokens where the model is sure', async () => {
    const engine = engineOf((text) => (text.length < 4 ? { [text.length]: 9, 9: 7 } : { [END]: 9 }));
    expect(await decode(engine)).toEqual({ tokens: [0, 1, 2, 3, END], temperatures: [0, 0, 0, 0, 0] });
    expect(engine.starts).toEqual([[]]);
  });

  it('leaves a loop by a higher temperature, behind what was sure', async () => {
    // 1 2 3 1 2 3 … for ever; any other token leads out.
    const leadsOut = (text: readonly number[]) => text.findIndex((token) => token > 3);
    const engine = engineOf((text) => {
      const out = leadsOut(text);
      if (out >= 0) return text.length - out < 4 ? { [5 + ((text.length * 3) % 5)]: 9 } : { [END]: 9 };
      return { [1 + (text.length % 3)]: 4, 5: 2.5, 6: 2.5, 7: 2.5 };
    });
    const { tokens, temperatures } = await decode(engine);
    expect(tokens.slice(0, 5)).toEqual([1, 2, 3, 1, 2]);
    expect(tokens.at(-1)).toBe(END);
    expect(tokens.length).toBeLessThan(30);
    expect(temperatures.at(-1)).toBeGreaterThan(0);
    expect(temperatures.toSorted((a, b) => a - b)).toEqual(temperatures);
    // What was given already stays, and the next attempts go on behind it.
    expect(engine.starts.length).toBeGreaterThan(1);
    for (const start of engine.starts.slice(1)) expect(tokens.slice(0, start.length)).toEqual(start);
    expect((await decode(engine)).tokens).toEqual(tokens);
  });

  it('writes again what it is unsure of, up to a temperature of 1', async () => {
    const even = Object.fromEntries(Array.from({ length: 10 }, (_, token) => [token, token === 4 ? 0.1 : 0]));
    const engine = engineOf((text) => (text.length < 6 ? even : { [END]: 0 }));
    const { tokens, temperatures } = await decode(engine);
    expect(engine.starts.length).toBe(6);
    expect(tokens).toHaveLength(7);
    expect(new Set(temperatures)).toEqual(new Set([1]));
    expect(new Set(tokens).size).toBeGreaterThan(2);
  });

  it('begins with the temperature that was asked for', async () => {
    const engine = engineOf((text) => (text.length < 20 ? { 1: 0, [2 + (text.length % 8)]: 0 } : { [END]: 9 }));
    const { tokens, temperatures } = await decode(engine, { temperature: 0.6 });
    expect(new Set(temperatures)).toEqual(new Set([0.6]));
    expect(tokens.filter((token) => token === 1).length).toBeGreaterThan(2);
    expect(tokens.filter((token) => token === 1).length).toBeLessThan(18);
  });

  it('hears nothing where it doubts that anybody speaks and is unsure, and trusts a sure text', async () => {
    const even = Object.fromEntries(Array.from({ length: 10 }, (_, token) => [token, 0]));
    const unsure = engineOf((text) => (text.length < 6 ? even : { [END]: 0 }), 0.9);
    expect((await decode(unsure)).tokens).toEqual([]);
    expect(unsure.starts).toHaveLength(1);
    const sure = engineOf((text) => (text.length < 3 ? { [text.length]: 9 } : { [END]: 9 }), 0.9);
    expect((await decode(sure)).tokens).toEqual([0, 1, 2, END]);
  });
});
