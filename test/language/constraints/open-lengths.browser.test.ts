/** Lengths of strings with a vocabulary so large that masks leave them open. */
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { collectEvents, textOf } from '../../support/token-events.js';
import { byteTokenizer, fakeTextEngine, VOCABULARY } from '../decoding/fake-text-engine.js';
import { ask } from './support/ask.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
const WORDS = [...pairs.flatMap((pair) => pairs.map((other) => pair + other).slice(0, 160)), '\\n', '\\"', '","', '"}'];
const bytes = WORDS.map((word) => new TextEncoder().encode(word));

/** Bytes, and some 100,000 pieces of text: nine characters are counted by masks. */
const tokenizer: TextTokenizer = {
  ...byteTokenizer,
  vocabularySize: VOCABULARY + WORDS.length,
  bytesOf: (token) => (token < VOCABULARY ? byteTokenizer.bytesOf(token) : bytes[token - VOCABULARY]!),
};

const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 41 },
    code: { type: 'string', minLength: 20, maxLength: 20 },
    short: { type: 'string', maxLength: 3 },
  },
  required: ['name', 'code', 'short'],
  additionalProperties: false,
};

/** What a model writes that wants these pieces most, the first one most. */
async function written(wanted: readonly string[], sampling: object = {}): Promise<Record<string, string>> {
  const ids = wanted.map((word) => (word.length === 1 ? word.charCodeAt(0) : VOCABULARY + WORDS.indexOf(word)));
  const logits = (_: readonly number[], into: Float32Array): void => {
    for (const [place, id] of ids.entries()) into[id] = 40 - place;
  };
  const engine = fakeTextEngine({ tokenizer, logits, reasoningFormat: 'none' });
  const model = createTextModel(engine, { info: { device: 'none', threads: 1 }, unload: async () => {} });
  const output = { type: 'json-schema', name: 'x', schema, strict: true } as const;
  const request = ask({ prompt: { type: 'raw', text: 'x' }, output, maxTokens: 200, sampling });
  const text = textOf(await collectEvents(model.generate(request, new AbortController().signal)));
  return JSON.parse(text) as Record<string, string>;
}

describe('lengths that masks leave open', () => {
  it('[C39] a string ends where it must, however long its tokens are', async () => {
    const { name, code, short } = await written(['abcd']);
    expect(name).toBe(`${'abcd'.repeat(10)}${name!.slice(40)}`);
    expect(name).toHaveLength(41);
    expect(code).toBe('abcd'.repeat(5));
    expect(short!.length).toBeLessThanOrEqual(3);
  });

  it('[C39] an escape counts as one character, and a string goes on until it is long enough', async () => {
    const { name, code } = await written(['\\n']);
    expect(name).toBe('\n'.repeat(41));
    expect(code).toBe('\n'.repeat(20));
    expect((await written(['"', 'x'])).code).toHaveLength(20);
  });

  it('[C39] sampling keeps them too', async () => {
    for (const seed of [1, 2, 3]) {
      const { name, code } = await written(['abcd', '\\"', 'q', '"'], { temperature: 2, seed });
      expect(name!.length).toBeLessThanOrEqual(41);
      expect(code).toHaveLength(20);
    }
  });
});
