import { describe, expect, it } from 'vitest';
import type { ChannelPart } from '../../../src/core/events/token-event.js';
import { answerSyntax, createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { type ConstrainedModel, compileConstraint } from '../../../src/language/constraints/compile-constraint.js';
import { conformsToSchema } from './support/conforms-to-schema.js';
import { TOOL_FORMATS, type ToolFormat } from '../../../src/core/models/answer-formats.js';
import type { GenerationRequest } from '../../../src/core/request/generation-request.js';
import type { JsonSchema, Tool } from '../../../src/core/request/tool.js';
import { ask } from './support/ask.js';
import { disguised, tinyChatTokenizer } from './support/tiny-chat-tokenizer.js';
import { type Walk, randomWalk, seededRandom } from './support/walk.js';
import { rounds } from '../../support/rounds.js';

const weather: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 12 },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    units: { enum: ['metric', 'imperial', null] },
    at: {
      type: 'array',
      items: {
        type: 'object',
        properties: { hour: { type: 'number', minimum: 0, maximum: 24 } },
        required: ['hour'],
        additionalProperties: false,
      },
      maxItems: 2,
    },
    alerts: { type: 'boolean' },
  },
  required: ['city', 'days'],
  additionalProperties: false,
};
const tools: Tool[] = [
  { name: 'weather', parameters: weather },
  { name: 'get_time' },
  {
    name: 'weather_map',
    parameters: { type: 'object', properties: { zoom: { type: 'integer' } }, required: ['zoom'] },
  },
];
const schemas = new Map(tools.map((tool) => [tool.name, tool.parameters ?? { type: 'object', maxProperties: 0 }]));

/** Added tokens of tiny-chat, which stand for those of the family. */
const ADDED = ['<tool_call>', '</tool_call>', '<think>', '</think>', '<tools>'];

/** tiny-chat as it is; every family with its tags spelled, and as tokens; vocabularies that know some of the tags. */
const families: [ToolFormat, Record<string, string>][] = [
  ['hermes', {}],
  ...TOOL_FORMATS.filter((name) => name !== 'none' && name !== 'harmony').flatMap(
    (name): [ToolFormat, Record<string, string>][] => [
      [name, tokens([])],
      [name, tokens(answerSyntax({ toolFormat: name, reasoningFormat: 'none' }).tools.grammar.tags)],
    ],
  ),
  ['mistral', tokens(['[TOOL_CALLS]'])],
  ['pythonic', tokens(['<|tool_call_start|>', '<|tool_call_end|>'])],
];

function tokens(tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(ADDED.map((text, index) => [text, tags[index] ?? `<unused${index}>`]));
}

interface Call {
  name: string;
  arguments: string;
}

async function model(toolFormat: ToolFormat, renamed: Record<string, string>): Promise<ConstrainedModel> {
  const tokenizer = await tinyChatTokenizer();
  const own = toolFormat === 'hermes' && Object.keys(renamed).length === 0;
  return {
    tokenizer: own ? tokenizer : disguised(tokenizer, renamed),
    toolFormat,
    reasoningFormat: 'none',
    reasoningOpen: false,
  };
}

/** So many walks through the grammar of a request. */
async function walks(
  count: number,
  using: ConstrainedModel,
  more: Partial<GenerationRequest>,
  prefer?: number,
): Promise<Walk[]> {
  const compiled = await compileConstraint(ask({ tools, ...more, n: count }), using);
  try {
    return Array.from({ length: count }, (_, seed) => {
      const state = compiled!.start();
      try {
        return randomWalk(using.tokenizer, state, {
          random: seededRandom(seed),
          jump: seed % 2 === 0,
          ...(prefer !== undefined && { prefer }),
        });
      } finally {
        state.dispose();
      }
    });
  } finally {
    compiled!.dispose();
  }
}

/** What the family's own parser finds. */
function read(
  { toolFormat, reasoningFormat, reasoningOpen }: ConstrainedModel,
  text: string,
): { calls: Call[]; text: string } {
  const parser = createChannelParser({ toolFormat, reasoningFormat, reasoningOpen, toolsOffered: true, tools });
  const parts: ChannelPart[] = [...parser.push(text), ...parser.end()];
  const calls: Call[] = [];
  let plain = '';
  for (const part of parts) {
    if (part.type === 'text') plain += part.text;
    if (part.type === 'tool-call-start') calls.push({ name: part.name, arguments: '' });
    if (part.type === 'tool-call-arguments') calls.at(-1)!.arguments += part.text;
  }
  return { calls, text: plain };
}

function expectValid(calls: readonly Call[]): void {
  for (const call of calls) {
    const schema = schemas.get(call.name);
    expect(schema).toBeDefined();
    expect(conformsToSchema(JSON.parse(call.arguments), schema!)).toBe(true);
  }
}

describe.each(families)('%s with %j', (toolFormat, renamed) => {
  it('[C46] [C56] required: only valid calls of declared tools, at least one', async () => {
    const using = await model(toolFormat, renamed);
    for (const { text, complete } of await walks(rounds(5, 12), using, { toolChoice: 'required' })) {
      expect(complete).toBe(true);
      const found = read(using, text);
      expect(found.calls.length).toBeGreaterThan(0);
      expect(found.text.trim()).toBe('');
      expectValid(found.calls);
    }
  });

  it('[C47] a forced function is the one that is called', async () => {
    const using = await model(toolFormat, renamed);
    const forced = { toolChoice: { name: 'weather_map' }, parallelToolCalls: false };
    for (const { text } of await walks(rounds(3, 6), using, forced))
      expect(read(using, text).calls.map((call) => call.name)).toEqual(['weather_map']);
  });

  it('[C50] without parallel calls there is one', async () => {
    const using = await model(toolFormat, renamed);
    const single = { toolChoice: 'required', parallelToolCalls: false } as const;
    for (const { text } of await walks(rounds(4, 8), using, single)) {
      const { calls } = read(using, text);
      expect(calls).toHaveLength(1);
      expectValid(calls);
    }
  });
});

describe('tool_choice auto', () => {
  it('[C56] a call that was begun ends valid, and only the end follows', async () => {
    const using = await model('hermes', {});
    const open = using.tokenizer.addedTokens.get('<tool_call>')!;
    for (let seed = 0; seed < 12; seed += 1) {
      const compiled = await compileConstraint(ask({ tools, parallelToolCalls: seed % 2 === 0 }), using);
      const state = compiled!.start();
      for (const token of [...using.tokenizer.encodeText('Let me see.'), open]) state.accept(token);
      const rest = randomWalk(using.tokenizer, state, { random: seededRandom(seed) });
      state.dispose();
      compiled!.dispose();
      expect(rest.complete).toBe(true);
      const text = `Let me see.<tool_call>${rest.text}`;
      const found = read(using, text);
      expect(found.text.trim()).toBe('Let me see.');
      expect(found.calls.length).toBeGreaterThan(0);
      expect(found.calls.length).toBeLessThanOrEqual(seed % 2 === 0 ? 32 : 1);
      expectValid(found.calls);
    }
  });

  it('leaves free text free and lets it end', async () => {
    const using = await model('hermes', {});
    const compiled = await compileConstraint(ask({ tools }), using);
    const state = compiled!.start();
    for (const token of using.tokenizer.encodeText('Hello, {"name":"weather"} [a] <b> é ß 😀.\n')) state.accept(token);
    const logits = new Float32Array(using.tokenizer.vocabularySize);
    state.maskLogits(logits);
    for (const token of using.tokenizer.endTokens) expect(logits[token]).toBe(0);
    expect(state.isComplete()).toBe(false);
    expect(state.forcedTokens()).toEqual([]);
    compiled!.dispose();
  });

  it('a spelled tag begins a call like the token', async () => {
    const using = await model('hermes', {});
    const compiled = await compileConstraint(ask({ tools }), using);
    const state = compiled!.start();
    for (const token of using.tokenizer.encodeText('<tool_call>')) state.accept(token);
    const rest = randomWalk(using.tokenizer, state, { random: seededRandom(3) });
    expectValid(read(using, `<tool_call>${rest.text}`).calls);
    expect(read(using, `<tool_call>${rest.text}`).calls.length).toBeGreaterThan(0);
    compiled!.dispose();
  });
});

describe('harmony', () => {
  const tags = ['<|channel|>', '<|message|>', '<|constrain|>', '<|start|>', '<|end|>'];
  const renamed = tokens(tags);

  it('[C46] [C56] thinks or not, then calls a declared tool', async () => {
    const using: ConstrainedModel = { ...(await model('none', renamed)), reasoningFormat: 'harmony' };
    const end = using.tokenizer.addedTokens.get('<|end|>')!;
    for (const { text, complete } of await walks(10, using, { toolChoice: 'required' }, end)) {
      expect(complete).toBe(true);
      const { calls } = read(using, text);
      expect(calls).toHaveLength(1);
      expectValid(calls);
    }
  });

  it('[C38] the final message is the JSON', async () => {
    const using: ConstrainedModel = { ...(await model('none', renamed)), reasoningFormat: 'harmony' };
    const end = using.tokenizer.addedTokens.get('<|end|>')!;
    for (const { text } of await walks(10, using, { tools: [], output: { type: 'json-object' } }, end))
      expect(JSON.parse(read(using, text).text)).toBeTypeOf('object');
  });
});

describe('around calls', () => {
  it('[C45] none: the token that begins a call is forbidden', async () => {
    const using = await model('hermes', {});
    const compiled = await compileConstraint(ask({ tools, toolChoice: 'none' }), using);
    const logits = new Float32Array(using.tokenizer.vocabularySize);
    expect(compiled!.start().maskLogits(logits)).toBe(true);
    expect(logits[using.tokenizer.addedTokens.get('<tool_call>')!]).toBe(-Infinity);
  });

  it('reasoning is free text before the constrained answer', async () => {
    const using: ConstrainedModel = {
      ...(await model('hermes', {})),
      reasoningFormat: 'think-tags',
      reasoningOpen: true,
    };
    const { tokenizer } = using;
    const compiled = await compileConstraint(ask({ output: { type: 'json-object' } }), using);
    const state = compiled!.start();
    const thought = 'I think {"a": that <tool_call> is wrong.\n';
    for (const token of tokenizer.encodeText(thought)) state.accept(token);
    expect(state.isComplete()).toBe(false);
    const logits = new Float32Array(tokenizer.vocabularySize);
    state.maskLogits(logits);
    for (const token of tokenizer.endTokens) expect(logits[token]).toBe(-Infinity);
    state.accept(tokenizer.addedTokens.get('</think>')!);
    const rest = randomWalk(tokenizer, state, { random: seededRandom(5) });
    expect(JSON.parse(rest.text)).toBeTypeOf('object');
    compiled!.dispose();
  });

  it('a model that was asked to think may open its thinking itself', async () => {
    const using: ConstrainedModel = { ...(await model('hermes', {})), reasoningFormat: 'think-tags' };
    const { tokenizer } = using;
    const close = tokenizer.addedTokens.get('</think>')!;
    for (const thinks of [true, false]) {
      const compiled = await compileConstraint(
        ask({ tools, toolChoice: 'required', reasoning: { enabled: true } }),
        using,
      );
      const state = compiled!.start();
      const thought = [tokenizer.addedTokens.get('<think>')!, ...tokenizer.encodeText('\nHm.\n'), close];
      if (thinks) for (const token of thought) state.accept(token);
      const rest = randomWalk(tokenizer, state, {
        random: seededRandom(8),
        prefer: tokenizer.addedTokens.get('<tool_call>')!,
      });
      expectValid(read({ ...using, reasoningFormat: 'none' }, rest.text).calls);
      expect(read({ ...using, reasoningFormat: 'none' }, rest.text).calls.length).toBeGreaterThan(0);
      state.dispose();
      compiled!.dispose();
    }
  });

  it('a forced tool that is not declared is refused', async () => {
    const using = await model('hermes', {});
    const refused = compileConstraint(ask({ tools, toolChoice: { name: 'nothing' } }), using);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'tool_choice' } });
  });
});
