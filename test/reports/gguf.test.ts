/** Files as other converters write them: where an answer ends, and which numbers are refused. */
import { describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { assembleTextModel, planTextModel } from '../../src/engines/gguf/assemble-text-model.js';
import type { TextModel } from '../../src/language/decoding/create-text-model.js';
import { tinyChatInput } from '../engines/gguf/support/tiny-chat-cases.js';
import { headerOf, piecesOf, TINY_ENTRY } from '../engines/gguf/support/tiny-model.js';
import { type GgufInput, type MetadataInput, writeGguf } from '../engines/gguf/support/write-gguf.js';
import { collectAnswer, interpret } from '../support/token-events.js';
import endReports from './gguf-ends.json' with { type: 'json' };
import numberReports from './gguf-numbers.json' with { type: 'json' };

interface Change {
  set?: Record<string, [type: 'u32' | 'f32', value: number | string]>;
  remove?: string[];
  tokens?: Record<string, { text?: string; type?: number }>;
  types?: 'nonsense';
  template?: { replace: string; by: string };
}

interface EndReport extends Change {
  id: string;
  ends: boolean;
  bias?: Record<number, number>;
  promptTokens?: number;
}

interface NumberReport extends Change {
  id: string;
  refused?: string | string[];
  never?: string[];
  loads?: boolean;
}

const SENTENCE = 'The capital of France is Paris.';
const original = tinyChatInput('bundled');

function changed({ set = {}, remove = [], tokens = {}, types, template }: Change): GgufInput {
  const metadata: Record<string, MetadataInput> = { ...original.metadata };
  for (const [key, [type, value]] of Object.entries(set)) metadata[key] = { type, value: Number(value) };
  for (const key of remove) delete metadata[key];
  const texts = [...(metadata['tokenizer.ggml.tokens'] as string[])];
  const kinds = [...(metadata['tokenizer.ggml.token_type'] as number[])];
  for (const [id, { text, type }] of Object.entries(tokens)) {
    if (text !== undefined) texts[Number(id)] = text;
    if (type !== undefined) kinds[Number(id)] = type;
  }
  metadata['tokenizer.ggml.tokens'] = texts;
  metadata['tokenizer.ggml.token_type'] = types === 'nonsense' ? kinds.map((_, id) => 40 + (id % 7)) : kinds;
  const source = metadata['tokenizer.chat_template'] as string;
  if (template) metadata['tokenizer.chat_template'] = source.replaceAll(template.replace, template.by);
  return { ...original, metadata };
}

async function load(input: GgufInput, entry: { chatTemplate?: string } = {}): Promise<TextModel> {
  const file = writeGguf(input);
  const header = await headerOf(file);
  const full = { ...TINY_ENTRY, ...entry };
  return assembleTextModel(full, planTextModel(full, header), piecesOf(file.subarray(header.dataStart), 2 ** 20));
}

async function answerOf(model: TextModel, sampling: object = {}) {
  const content = [{ type: 'text' as const, text: 'What is the capital of France?' }];
  const prompt = { type: 'chat' as const, messages: [{ role: 'user' as const, content }] };
  const request = { ...plainGenerationRequest('tiny', prompt), sampling, maxTokens: 24 };
  const answer = await collectAnswer(interpret(model.generate(request, new AbortController().signal), request));
  return { text: answer.choices[0]!.text, reason: answer.choices[0]!.reason, promptTokens: answer.promptTokens };
}

describe('[W10] an answer ends where llama.cpp ends it', { timeout: 60_000 }, () => {
  it.each(endReports.cases as unknown as EndReport[])('$id', async ({ bias, ends, promptTokens, ...change }) => {
    const model = await load(changed(change));
    const found = await answerOf(model, bias && { logitBias: bias });
    // Behind the sentence, llama.cpp goes on where nothing ends the answer.
    const text = bias ? '' : ends ? SENTENCE : found.text.slice(0, SENTENCE.length);
    const isMore = found.text.length > text.length;
    expect([found.text.slice(0, text.length), isMore]).toEqual([bias ? '' : SENTENCE, !ends]);
    expect(found.promptTokens).toBe(promptTokens ?? found.promptTokens);
    await model.unload();
  });

  it('behind `<|return|>` and `<|call|>`, not behind the `<|end|>` of a message', async () => {
    const ending = (texts: string[]) =>
      planOf(changed({ tokens: Object.fromEntries(texts.map((text, index) => [700 + index, { text, type: 3 }])) }));
    const harmony = await ending(['<|return|>', '<|call|>', '<|end|>']);
    expect([700, 701, 702].map((id) => harmony.endTokens.has(id))).toEqual([true, true, false]);
    expect((await ending(['<|end|>'])).endTokens.has(700)).toBe(true);
  });

  it('the entry gives a file its template, or replaces the one that it has', async () => {
    const chatTemplate = original.metadata['tokenizer.chat_template'] as string;
    const { 'tokenizer.chat_template': _template, ...metadata } = original.metadata;
    const model = await load({ ...original, metadata }, { chatTemplate });
    expect(await answerOf(model)).toMatchObject({ text: SENTENCE, promptTokens: 16 });
    await model.unload();
    const replaced = await planOf(original, { chatTemplate: '{{ 1 }}' });
    expect([replaced.chatTemplate, replaced.toolTemplate]).toEqual(['{{ 1 }}', undefined]);
  });
});

async function planOf(input: GgufInput, entry: { chatTemplate?: string } = {}) {
  return planTextModel({ ...TINY_ENTRY, ...entry }, await headerOf(writeGguf(input))).tokenizer;
}

describe('[W10] numbers and tables of a file', { timeout: 60_000 }, () => {
  it.each(numberReports.cases as unknown as NumberReport[])('$id', async ({ refused, never = [], ...change }) => {
    const input = changed(change);
    const { message } = (await planOf(input).catch((error: unknown) => error)) as { message?: string };
    const isNamed = [refused ?? []].flat().some((name) => message?.includes(name));
    expect([message !== undefined, isNamed]).toEqual([refused !== undefined, refused !== undefined]);
    expect(never.filter((text) => message?.includes(text))).toEqual([]);
  });
});
