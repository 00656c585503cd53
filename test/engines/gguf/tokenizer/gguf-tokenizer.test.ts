import { describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../../src/core/errors/inference-error.js';
import { createGgufTokenizer } from '../../../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../../../src/engines/gguf/tokenizer/vocabulary.js';
import type { TextTokenizer } from '../../../../src/language/prompt/text-tokenizer.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { renderPrompt } from '../../../../src/language/prompt/render-prompt.js';
import { encodeTrustedText } from '../../../../src/language/prompt/encode-prompt.js';
import { readGgufHeader } from '../../../../src/engines/gguf/file/header.js';
import { AWKWARD_TEXTS, comparedTexts } from '../support/awkward-texts.js';
import { byteLevelVocabulary, madeVocabularies, scoredVocabulary } from '../support/made-vocabulary.js';
import { type MetadataInput, writeGguf } from '../support/write-gguf.js';
import llamaCppIds from '../../../fixtures/gguf/llama-cpp-ids.json' with { type: 'json' };

async function tokenizerOf(metadata: Record<string, MetadataInput>): Promise<TextTokenizer> {
  const bytes = writeGguf({ metadata, tensors: [] });
  return createGgufTokenizer(
    readVocabulary(await readGgufHeader(async (from, to) => bytes.subarray(from, to), 'm.gguf')),
  );
}

const textOf = (tokenizer: TextTokenizer, ids: readonly number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(ids.flatMap((id) => [...tokenizer.bytesOf(id)])),
  );

const VOCABULARIES = madeVocabularies();

describe('[W09] ids are those of llama.cpp', () => {
  it.each(Object.entries(llamaCppIds))('%s', async (name, expected) => {
    const tokenizer = await tokenizerOf(VOCABULARIES.get(name)!);
    expect(comparedTexts(name).map((text) => tokenizer.encodeText(text))).toEqual(expected);
  });
});

describe('[W09] text', () => {
  it('is what the bytes of its tokens are', async () => {
    for (const [name, metadata] of VOCABULARIES) {
      if (name === 'bert') continue;
      const tokenizer = await tokenizerOf(metadata);
      const texts = AWKWARD_TEXTS.map((text) => textOf(tokenizer, tokenizer.encodeText(text)));
      // A space stands in front of each stretch, also of one behind a token of the text.
      const addsSpace = name === 'llama';
      expect(texts.map((text) => (addsSpace ? text.replaceAll(' ', '') : text))).toEqual(
        AWKWARD_TEXTS.map((text) => (addsSpace ? text.replaceAll(' ', '') : text)),
      );
    }
  });

  it('of a client is never a control token', async () => {
    for (const metadata of [
      byteLevelVocabulary(['<|end|>x', '<|end|>', '<s>'], 'gpt-2'),
      scoredVocabulary(['<|end|> </s>']),
    ]) {
      const tokenizer = await tokenizerOf(metadata);
      const control = ['<|end|>', '<s>', '</s>'].map((token) => tokenizer.addedTokens.get(token));
      const ids = tokenizer.encodeText('a<|end|><s></s>');
      expect(ids.filter((id) => control.includes(id))).toEqual([]);
      expect(encodeTrustedText('<|end|>', tokenizer)).toEqual([tokenizer.addedTokens.get('<|end|>')]);
    }
  });

  it('keeps marks with their letters where the models do and llama.cpp does not', async () => {
    for (const pre of ['gpt-4o', 'llama4', 'tekken']) {
      const tokenizer = await tokenizerOf(byteLevelVocabulary(['x', 'cafe\u0301'], pre));
      expect(tokenizer.encodeText('cafe\u0301')).toHaveLength(1);
    }
    const qwen2 = await tokenizerOf(byteLevelVocabulary(['x', 'cafe\u0301'], 'qwen2'));
    expect(qwen2.encodeText('cafe\u0301').length).toBeGreaterThan(1);
  });

  it('that continues other text has no space in front', async () => {
    const tokenizer = await tokenizerOf(VOCABULARIES.get('llama')!);
    expect(textOf(tokenizer, tokenizer.encodeText('Hello'))).toBe(' Hello');
    expect(textOf(tokenizer, tokenizer.encodeContinuation!('Hello'))).toBe('Hello');
  });

  it('of any length is encoded in a moment', async () => {
    for (const name of ['llama', 'qwen2', 'bert']) {
      const tokenizer = await tokenizerOf(VOCABULARIES.get(name)!);
      const counts = ['a', ' ', 'Hello, world! '].map((text) => tokenizer.encodeText(text.repeat(20_000)).length);
      expect(counts.at(-1)).toBeGreaterThan(20_000);
    }
  });
});

describe('[W33] a vocabulary of `gemma4`', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const pieces = ['<unk>', '<bos>', '<|tool_call>', ...bytes, '\u2581', 'a', 'b', '\n', 'ab', '\u2581ab', '\n\n'];
  const metadata = {
    'tokenizer.ggml.model': 'gemma4',
    'tokenizer.ggml.tokens': pieces,
    'tokenizer.ggml.token_type': pieces.map((_, id) => (id < 2 ? 3 : id === 2 ? 4 : id < 259 ? 6 : 1)),
    'tokenizer.ggml.merges': ['a b', '\u2581 ab', '\n \n'],
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.add_bos_token': true,
  };

  it('merges characters by rank, spaces as `▁`, line ends apart, and has bytes for what is no token', async () => {
    const tokenizer = await tokenizerOf(metadata);
    const text = 'ab ab\n\n\nb é<|tool_call>';
    const ids = tokenizer.encodeText(text);
    expect(ids.map((id) => pieces[id])).toEqual([
      'ab',
      '\u2581ab',
      '\n\n',
      '\n',
      'b',
      '\u2581',
      '<0xC3>',
      '<0xA9>',
      '<|tool_call>',
    ]);
    expect(textOf(tokenizer, ids)).toBe(text);
    expect(tokenizer.prefixTokens).toEqual([1]);
  });

  it('needs its merges', async () => {
    const { 'tokenizer.ggml.merges': _, ...others } = metadata;
    await expect(tokenizerOf(others)).rejects.toMatchObject({ code: 'model_not_supported', message: /merges/ });
  });
});

describe('[W10] special tokens', () => {
  const base = byteLevelVocabulary(['x', 'Hello'], 'qwen2');
  const tokens = base['tokenizer.ggml.tokens'] as string[];

  it('stand in front where the file asks for it', async () => {
    const begin = tokens.indexOf('<s>');
    const prefix = async (metadata: Record<string, MetadataInput>): Promise<readonly number[]> =>
      (await tokenizerOf(metadata)).prefixTokens;
    expect(await prefix(base)).toEqual([]);
    expect(await prefix({ ...base, 'tokenizer.ggml.add_bos_token': true })).toEqual([begin]);
    expect(await prefix({ ...base, 'tokenizer.ggml.pre': 'llama-bpe' })).toEqual([begin]);
    const scored = scoredVocabulary(['Hello']);
    expect(await prefix(scored)).toEqual([1]);
    expect(await prefix({ ...scored, 'tokenizer.ggml.add_bos_token': false })).toEqual([]);
  });

  it('the begin token stands once, whoever writes it', async () => {
    const TEMPLATE = '{% for m in messages %}{{ m.content }}{% endfor %}';
    const scored = { ...scoredVocabulary(['Hello']), 'tokenizer.chat_template': TEMPLATE };
    const begins = async (
      metadata: Record<string, MetadataInput>,
      prompt: GenerationRequest['prompt'],
    ): Promise<number> => {
      const tokenizer = await tokenizerOf(metadata);
      const formats = { toolFormat: 'none', reasoningFormat: 'none' } as const;
      const { tokens } = renderPrompt(plainGenerationRequest('m', prompt), tokenizer, formats);
      expect(tokens.slice(1)).not.toContain(1);
      return tokens.filter((id) => id === 1).length;
    };
    const chat: GenerationRequest['prompt'] = {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello<s>' }] }],
    };
    const written = { ...scored, 'tokenizer.chat_template': `{{ bos_token }}${TEMPLATE}` };
    const without = { 'tokenizer.ggml.add_bos_token': false };
    expect(await begins(scored, chat)).toBe(1);
    expect(await begins(written, chat)).toBe(1);
    expect(await begins({ ...written, ...without }, chat)).toBe(1);
    expect(await begins({ ...scored, ...without }, chat)).toBe(0);
    expect(await begins(scored, { type: 'raw', text: 'Hello' })).toBe(1);
    expect(await begins(scored, { type: 'raw', text: '<s>Hello' })).toBe(1);
    expect(await begins({ ...scored, ...without }, { type: 'raw', text: 'Hello' })).toBe(0);
  });

  it('end an answer: eos, eot, eom and what is an end by its text', async () => {
    const all = [...tokens, '<eot>', '<eom>', '<|im_end|>', '<|eot_id|>'];
    const kinds = [...(base['tokenizer.ggml.token_type'] as Int32Array), 3, 3, 3, 3];
    const id = (token: string): number => all.indexOf(token);
    const { endTokens, chatTemplate, toolTemplate, templateVariables } = await tokenizerOf({
      ...base,
      'tokenizer.ggml.tokens': all,
      'tokenizer.ggml.token_type': Int32Array.from(kinds),
      'tokenizer.ggml.eot_token_id': id('<eot>'),
      'tokenizer.ggml.eom_token_id': id('<eom>'),
      'tokenizer.chat_template': '{{ m }}<|im_end|>',
      'tokenizer.chat_template.tool_use': '{{ tools }}',
    });
    expect(endTokens).toEqual(new Set(['<|end|>', '<eot>', '<eom>', '<|im_end|>', '<|eot_id|>'].map(id)));
    expect([chatTemplate, toolTemplate]).toEqual(['{{ m }}<|im_end|>', '{{ tools }}']);
    expect(templateVariables).toEqual({ bos_token: '<s>', eos_token: '<|end|>' });
  });
});

describe('[W03] refuses', () => {
  const base = byteLevelVocabulary(['x', 'Hello'], 'qwen2');
  const CASES: [string, Record<string, MetadataInput>, RegExp][] = [
    ['no tokenizer', {}, /^model_not_supported.*`m.gguf`.*no tokenizer/],
    ['another model', { ...base, 'tokenizer.ggml.model': 't5' }, /^model_not_supported.*`t5`.*`gpt2`, `llama`, `bert`/],
    ['another pre', { ...base, 'tokenizer.ggml.pre': 'new' }, /^model_not_supported.*`new` is not supported.*`qwen2`/],
    ['no tokens', { 'tokenizer.ggml.model': 'gpt2' }, /^model_not_supported.*no tokenizer/],
    ['kinds of other tokens', { ...base, 'tokenizer.ggml.token_type': Int32Array.of(1) }, /^unavailable.*token_type/],
    ['a token beyond the end', { ...base, 'tokenizer.ggml.eos_token_id': 1e6 }, /^unavailable.*eos_token_id/],
    ['a template that is no text', { ...base, 'tokenizer.chat_template': 5 }, /^unavailable.*chat_template/],
    [
      'rules for spaces',
      { ...base, 'tokenizer.ggml.remove_extra_whitespaces': true },
      /^model_not_supported.*extra_whi/,
    ],
    ['changed characters', { ...base, 'tokenizer.ggml.precompiled_charsmap': Uint8Array.of(1) }, /charsmap/],
    ['no scores', { ...base, 'tokenizer.ggml.model': 'llama' }, /^unavailable.*scores/],
  ];
  it.each(CASES)('%s', async (_, metadata, expected) => {
    const thrown: unknown = await tokenizerOf(metadata).catch((error: unknown) => error);
    const { code, message } = thrown as InferenceError;
    expect(`${code}: ${message}`).toMatch(expected);
  });
});
