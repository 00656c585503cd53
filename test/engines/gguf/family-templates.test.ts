/** Calls and thoughts of today's families by the templates of their files, with tags that are tokens of either kind. */
import { describe, expect, it } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { createGgufTokenizer } from '../../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary, TOKEN_KIND } from '../../../src/engines/gguf/tokenizer/vocabulary.js';
import type { GgufValue } from '../../../src/engines/gguf/file/header.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { fakeTextEngine } from '../../language/decoding/fake-text-engine.js';
import { FAMILY_TEMPLATES } from '../../language/families/support/templates.js';
import { collectAnswer, interpret } from '../../support/token-events.js';
import { byteLevelVocabulary } from './support/made-vocabulary.js';

interface Family {
  /** Of {@link FAMILY_TEMPLATES}. */
  models: string;
  /** The first one ends a turn. */
  tags: readonly string[];
  /** What it writes where it thinks and calls, and where it answers. */
  calls: string;
  answers: string;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  'Qwen 3.5': {
    models: 'Qwen 3.5, Nemotron 3 Nano',
    tags: ['<|im_end|>', '<|im_start|>', '<think>', '</think>', '<tool_call>', '</tool_call>'],
    calls:
      'Paris it is.\n</think>\n\n<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>',
    answers: 'Paris it is.\n</think>\n\nIt rains.',
  },
  'LFM 2.5': {
    models: 'LFM 2.5',
    tags: ['<|im_end|>', '<|im_start|>', '<|tool_call_start|>', '<|tool_call_end|>', '<think>', '</think>'],
    calls: '<think>\nParis it is.\n</think>\n\n<|tool_call_start|>[weather(city="Paris", days=2)]<|tool_call_end|>',
    answers: '<think>\nParis it is.\n</think>\n\nIt rains.',
  },
  'Ministral 3': {
    models: 'Ministral 3 Reasoning',
    tags: ['</s>', '[INST]', '[/INST]', '[TOOL_CALLS]', '[ARGS]', '[THINK]', '[/THINK]', '[AVAILABLE_TOOLS]'],
    calls: '[THINK]Paris it is.[/THINK][TOOL_CALLS]weather[ARGS]{"city": "Paris", "days": 2}',
    answers: '[THINK]Paris it is.[/THINK]It rains.',
  },
  'Gemma 4': {
    models: 'Gemma 4',
    tags: ['<turn|>', '<|turn>', '<|channel>', '<channel|>', '<|tool_call>', '<tool_call|>', '<|"|>', '<|think|>'],
    calls: '<|channel>thought\nParis it is.<channel|><|tool_call>call:weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>',
    answers: '<|channel>thought\nParis it is.<channel|>It rains.',
  },
  'Granite 4': {
    models: 'Granite 4: tools and calls in XML tags, roles in its own',
    tags: ['<|end_of_text|>', '<|start_of_role|>', '<|end_of_role|>', '<tool_call>', '</tool_call>'],
    calls: '<tool_call>\n{"name": "weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>',
    answers: 'It rains.',
  },
  'gpt-oss': {
    models: 'gpt-oss: writes only the first of several calls',
    tags: ['<|return|>', '<|call|>', '<|end|>', '<|start|>', '<|channel|>', '<|message|>', '<|constrain|>'],
    calls:
      '<|channel|>analysis<|message|>Paris it is.<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Paris", "days": 2}<|call|>',
    answers: '<|channel|>analysis<|message|>Paris it is.<|end|><|start|>assistant<|channel|>final<|message|>It rains.',
  },
};

const KINDS = { control: TOKEN_KIND.control, 'user-defined': TOKEN_KIND.userDefined } as const;

/** The tokenizer of a file with these tags. Only the end of a turn is surely a control token. */
function tokenizerOf({ models, tags }: Family, kind: number): TextTokenizer {
  const { template } = FAMILY_TEMPLATES.find((each) => each.models === models)!;
  const vocabulary = byteLevelVocabulary(['', ' the', ' a'], 'qwen2');
  const [pieces, kinds] = ['tokens', 'token_type'].map((key) =>
    Array.from(vocabulary[`tokenizer.ggml.${key}`] as ArrayLike<string | number>),
  ) as [string[], number[]];
  const given = pieces.map((piece, id) => (tags.includes(piece) ? `[unused ${id}]` : piece));
  const metadata = new Map<string, GgufValue>([
    ...Object.entries(vocabulary as Record<string, GgufValue>),
    ['tokenizer.ggml.tokens', [...given, ...tags]],
    ['tokenizer.ggml.token_type', Int32Array.from([...kinds, TOKEN_KIND.control, ...tags.slice(1).map(() => kind)])],
    ['tokenizer.ggml.eos_token_id', pieces.length],
    ['tokenizer.chat_template', template],
  ]);
  return createGgufTokenizer(readVocabulary({ file: 'made.gguf', metadata }));
}

/** What a model writes: its tags as the tokens that they are. */
function idsOf(text: string, tokenizer: TextTokenizer, tags: readonly string[]): number[] {
  const pattern = new RegExp(`(${tags.map((tag) => tag.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|')})`);
  const parts = text.split(pattern).filter((part) => part !== '');
  return parts.flatMap((part) => tokenizer.addedTokens.get(part) ?? tokenizer.encodeText(part));
}

const WEATHER = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
};

async function answerOf(family: Family, kind: number, text: string) {
  const tokenizer = tokenizerOf(family, kind);
  const written = [...idsOf(text, tokenizer, family.tags), tokenizer.addedTokens.get(family.tags[0]!)!];
  const { chatTemplate } = tokenizer;
  let prompt: number | undefined;
  const engine = fakeTextEngine({
    tokenizer,
    reasoningFormat: detectReasoningFormat(chatTemplate),
    contextLength: 4000,
    logits: (tokens, logits) => {
      prompt ??= tokens.length;
      logits[written[tokens.length - prompt] ?? written.at(-1)!] = 40;
    },
  });
  const model = createTextModel(
    Object.assign(engine, { toolFormat: detectToolFormat(chatTemplate), constrainable: false }),
    {
      info: { device: 'none', threads: 1 },
      unload: async () => {},
    },
  );
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Weather in Paris?' }] }];
  const request: GenerationRequest = {
    ...plainGenerationRequest('made', { type: 'chat', messages }),
    tools: [WEATHER],
    maxTokens: 400,
    reasoning: family.models.startsWith('Granite') ? {} : { enabled: true },
  };
  return collectAnswer(interpret(model.generate(request, new AbortController().signal), request));
}

describe.each(Object.entries(FAMILIES))('[W10] [W25] [W26] %s by the template of its file', (name, family) => {
  it.each(Object.entries(KINDS))('thinks, then calls or answers: tags of kind %s', async (_, kind) => {
    const { choices } = await answerOf(family, kind, family.calls);
    const thought = name === 'Granite 4' ? undefined : 'Paris it is.';
    const [called] = choices;
    expect(called).toMatchObject({ text: '', reason: 'tool-calls', toolCalls: [{ name: 'weather' }] });
    expect(JSON.parse(called!.toolCalls[0]!.arguments)).toEqual({ city: 'Paris', days: 2 });
    expect(called!.reasoning?.trim()).toBe(thought);
    const [answered] = (await answerOf(family, kind, family.answers)).choices;
    expect(answered).toMatchObject({ text: 'It rains.', reason: 'stop', toolCalls: [] });
    expect(answered!.reasoning?.trim()).toBe(thought);
  });
});
