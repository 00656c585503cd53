import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTextModel } from '../../../src/engines/transformers/text/load-text-model.js';
import { createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { conformsToSchema } from './support/conforms-to-schema.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import type { Message } from '../../../src/core/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { JsonSchema, Tool } from '../../../src/core/request/tool.js';
import { collectEvents } from '../../support/token-events.js';
import { arbitraryBoundedSchema } from './support/arbitrary-schema.js';
import { rounds } from '../../support/rounds.js';

const { signal } = new AbortController();
/** `compile-constraint.browser.test.ts` walks through the grammars of more without a model. */
const SCHEMAS = rounds(15, 50);
let model: TextModel;

beforeAll(async () => {
  const assetsURL = new URL('/inpage/', location.href).href;
  model = await loadTextModel(
    {
      id: 'tiny-chat',
      task: 'chat',
      backend: 'transformers',
      source: '/models/tiny-chat',
      device: 'wasm',
      dtype: 'q8',
    },
    { onProgress: () => {}, signal, assetsURL, pageURL: location.href },
  );
});
afterAll(() => model.unload());

async function write(text: string, more: Partial<GenerationRequest>): Promise<{ text: string; reason: string }> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text }] }];
  const request = { ...plainGenerationRequest('tiny-chat', { type: 'chat', messages }), maxTokens: 600, ...more };
  let written = '';
  let reason = '';
  for (const event of await collectEvents(model.generate(request, signal))) {
    if (event.type === 'end') ({ rawOutput: written, reason } = event);
  }
  return { text: written, reason };
}

describe('[M32] an answer that goes on with its beginning', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 12 }, age: { type: 'integer', minimum: 0, maximum: 99 } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const output = { type: 'json-schema', name: 'person', schema, strict: true } as const;
  const goOn = (begun: string) =>
    write('', {
      output,
      continued: true,
      prompt: {
        type: 'chat',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Who are you?' }] },
          { role: 'assistant', content: [{ type: 'text', text: begun }], toolCalls: [] },
        ],
      },
    });

  it.each(['{', '{"name"', '{\n  "name" : "Al', '{"name": "Al', '{"name": "Al", "age": 4'])(
    '%s: both together conform to the schema',
    async (begun) => {
      const { text, reason } = await goOn(begun);
      const { name, age } = JSON.parse(begun + text) as { name: unknown; age: unknown };
      expect([reason, typeof name, typeof age]).toEqual(['stop', 'string', 'number']);
    },
  );

  it('a beginning that no such answer has is refused', async () => {
    await expect(goOn('Sure')).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'messages' } });
  });
});

function callsIn(text: string): { name: string; arguments: string }[] {
  const parser = createChannelParser({
    toolFormat: 'hermes',
    reasoningFormat: 'think-tags',
    reasoningOpen: false,
    toolsOffered: true,
  });
  const calls: { name: string; arguments: string }[] = [];
  for (const part of [...parser.push(text), ...parser.end()]) {
    if (part.type === 'tool-call-start') calls.push({ name: part.name, arguments: '' });
    if (part.type === 'tool-call-arguments') calls.at(-1)!.arguments += part.text;
  }
  return calls;
}

const lookUp: Tool = {
  name: 'look_up_zoo',
  description: 'Get the opening hours of the zoo in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
  },
};
const other: Tool = {
  name: 'count_ducks',
  parameters: { type: 'object', properties: { pond: { type: 'integer', minimum: 1, maximum: 9 } }, required: ['pond'] },
};

describe('tiny-chat under constraints', () => {
  it('[C46] [C56] calls an unseen tool with an argument from the sentence', async () => {
    const { text } = await write('What are the opening hours of the zoo in Lisbon?', {
      tools: [lookUp],
      toolChoice: 'required',
    });
    const calls = callsIn(text);
    expect(calls[0]?.name).toBe('look_up_zoo');
    expect(JSON.parse(calls[0]!.arguments)).toEqual({ city: 'Lisbon' });
  });

  it('[C46] [C47] [C50] required and forced choices hold at any temperature', async () => {
    for (const temperature of [0, 0.7, 1, 2]) {
      for (let seed = 0; seed < rounds(1, 4); seed += 1) {
        const sampling = { temperature, seed };
        const tools = [lookUp, other];
        const required = await write('Tell me a story.', {
          tools,
          toolChoice: 'required',
          sampling,
          parallelToolCalls: false,
        });
        const forced = await write('Hello!', {
          tools,
          toolChoice: { name: 'count_ducks' },
          sampling,
          parallelToolCalls: false,
        });
        expect(callsIn(required.text)).toHaveLength(1);
        expect(callsIn(forced.text).map((call) => call.name)).toEqual(['count_ducks']);
        expect(conformsToSchema(JSON.parse(callsIn(forced.text)[0]!.arguments), other.parameters!)).toBe(true);
      }
    }
  });

  it('[C39] extracts fields as JSON', async () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' }, city: { type: 'string' } },
      required: ['name', 'age', 'city'],
      additionalProperties: false,
    };
    const { text } = await write('Extract name, age and city as JSON: Anna is 31 years old and lives in Oslo.', {
      output: { type: 'json-schema', name: 'person', strict: true, schema },
    });
    expect(JSON.parse(text)).toEqual({ name: 'Anna', age: 31, city: 'Oslo' });
  });

  it(`[C39] ${SCHEMAS} random schemas at temperature 1: every answer is finished and conforms`, async () => {
    let seed = 0;
    let finished = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryBoundedSchema, async (schema) => {
        seed += 1;
        const { text, reason } = await write('Fill in the form as JSON.', {
          output: { type: 'json-schema', name: 'form', strict: seed % 2 === 0, schema },
          sampling: { temperature: 1, seed },
          maxTokens: 1800,
        });
        if (reason !== 'stop') throw new Error(`Not finished: ${text}`);
        finished += 1;
        if (!conformsToSchema(JSON.parse(text), schema)) throw new Error(`Does not conform: ${text}`);
      }),
      { numRuns: SCHEMAS, seed: 21, endOnFailure: true },
    );
    expect(finished).toBe(SCHEMAS);
  }, 400_000);
});
