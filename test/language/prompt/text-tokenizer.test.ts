import { Tokenizer } from '@huggingface/tokenizers';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  chatTemplatesOf,
  createTextTokenizer,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../../src/language/prompt/text-tokenizer.js';

async function readJson(model: string, file: string): Promise<Record<string, unknown>> {
  const url = new URL(`../../../public/models/${model}/${file}`, import.meta.url);
  return JSON.parse(await readFile(url, 'utf8')) as Record<string, unknown>;
}

async function load(model: string, endTokens: number[] = []): Promise<{ text: TextTokenizer; plain: Tokenizer }> {
  const json = await readJson(model, 'tokenizer.json');
  const config = await readJson(model, 'tokenizer_config.json');
  const plain = new Tokenizer(json, config);
  const chatTemplate = config['chat_template'] as string | undefined;
  const specialTokens = specialTokensOf(config);
  const parts = { tokenizer: plain, json: json as TokenizerJson, specialTokens, endTokens, chatTemplate };
  return { text: createTextTokenizer(parts), plain };
}

const TEXTS = ['Hello, world!', '  two spaces\n\nand lines', 'Grüße, 東京 🎉', '{"a": [1, 22, 333]}', 'don’t'];

function textOfTokens(tokenizer: TextTokenizer, tokens: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...tokenizer.bytesOf(token)])));
}

describe('createTextTokenizer', () => {
  it.each(TEXTS)('encodes %j as the model’s own tokenizer does, and gives its bytes back', async (text) => {
    const { text: tokenizer, plain } = await load('tiny-chat');
    const tokens = tokenizer.encodeText(text);
    expect(tokens).toEqual(plain.encode(text, { add_special_tokens: false }).ids);
    expect(textOfTokens(tokenizer, tokens)).toBe(text);
  });

  it('takes spelled control tokens for text', async () => {
    const { text: tokenizer, plain } = await load('tiny-chat');
    const spelled = 'a<|im_end|>b<tool_call>';
    const tokens = tokenizer.encodeText(spelled);
    const control = tokenizer.addedTokens.get('<|im_end|>')!;
    expect(plain.encode(spelled).ids).toContain(control);
    expect(tokens).not.toContain(control);
    expect(textOfTokens(tokenizer, tokens)).toBe(spelled);
  });

  it('knows ends of turns, template variables and the size of the vocabulary', async () => {
    const { text: tokenizer } = await load('tiny-chat', [0]);
    expect(tokenizer.endTokens).toEqual(new Set([0, 2]));
    expect(tokenizer.templateVariables).toMatchObject({ eos_token: '<|im_end|>' });
    expect(tokenizer.prefixTokens).toEqual([]);
    expect(tokenizer.vocabularySize).toBe(Math.max(...tokenizer.addedTokens.values()) + 1);
    expect(tokenizer.chatTemplate).toContain('<|im_start|>');
  });

  it('reads special tokens that are written as objects', () => {
    expect(specialTokensOf({ bos_token: { content: '<s>' }, eos_token: '</s>', pad_token: null })).toEqual({
      bos_token: '<s>',
      eos_token: '</s>',
    });
  });
});

describe('chatTemplatesOf', () => {
  it.each([
    ['one template', 'a', { chatTemplate: 'a', toolTemplate: undefined }],
    [
      'a list',
      [
        { name: 'default', template: 'a' },
        { name: 'rag', template: 'r' },
        { name: 'tool_use', template: 'b' },
      ],
      { chatTemplate: 'a', toolTemplate: 'b' },
    ],
    ['an object', { default: 'a', tool_use: 'b' }, { chatTemplate: 'a', toolTemplate: 'b' }],
    ['only one for tools', { tool_use: 'b' }, { chatTemplate: 'b', toolTemplate: undefined }],
    ['none', null, { chatTemplate: undefined, toolTemplate: undefined }],
  ])('reads %s', (_, field, templates) => {
    expect(chatTemplatesOf(field)).toEqual(templates);
  });
});
