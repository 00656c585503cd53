/** Which of a repository's chat templates is used, read from the prompts of models that are loaded from it. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { plainGenerationRequest } from '../../../../../src/core/request/generation-request.js';
import { loadTextModel } from '../../../../../src/model/engines/transformers/text/load-text-model.js';
import { makeVisionModels, VISION_MODELS } from '../../../../vision/make-vision-models.js';
import { filesOfFolder, LOAD, modelServer } from '../support/web-build.js';

vi.mock('@huggingface/transformers', async () => (await import('../support/web-build.js')).webBuild());
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A template that writes so many control tokens, whatever the conversation is. */
const templateOf = (tokens: number, image = ''): string =>
  `${'<|im_start|>'.repeat(tokens)}{% if messages | length > 100 %}${image}{% endif %}`;
const IMAGE = '<|vision_start|><|image_pad|><|vision_end|>';

/** How a repository without templates is completed. */
interface Templates {
  jinja?: string;
  json?: unknown;
  tokenizer?: unknown;
}

const files: Record<'text' | 'seeing', Record<string, Uint8Array>> = { text: {}, seeing: {} };
beforeAll(async () => {
  const small = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];
  files.text = await filesOfFolder('public/models/tiny-chat/', [...small, 'onnx/model_quantized.onnx']);
  await makeVisionModels();
  const parts = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'].map((part) => `onnx/${part}.onnx`);
  for (const name of [...small, 'preprocessor_config.json', ...parts])
    files.seeing[name] = await readFile(`${VISION_MODELS}/qwen2-vl/${name}`);
});

async function load(kind: 'text' | 'seeing', { jinja, json, tokenizer }: Templates) {
  const { chat_template: _, ...bare } = JSON.parse(
    Buffer.from(files[kind]['tokenizer_config.json']!).toString(),
  ) as Record<string, unknown>;
  const made = {
    ...files[kind],
    'tokenizer_config.json': { ...bare, ...(tokenizer !== undefined && { chat_template: tokenizer }) },
    ...(jinja !== undefined && { 'chat_template.jinja': jinja }),
    ...(json !== undefined && { 'chat_template.json': { chat_template: json } }),
  };
  vi.stubGlobal('fetch', modelServer({ [kind]: made }).fetch);
  vi.spyOn(console, 'warn').mockReturnValue();
  const entry = {
    id: 'made',
    task: 'chat',
    backend: 'transformers',
    device: 'wasm',
    dtype: kind === 'text' ? 'q8' : 'fp32',
    source: `/models/${kind}`,
  } as const;
  const model = await loadTextModel(entry, LOAD);
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  const request = plainGenerationRequest('made', { type: 'chat', messages });
  const tokens = await model.countTokens(request, LOAD.signal);
  await model.unload();
  return { tokens, info: model.info };
}

const three = { jinja: templateOf(3, IMAGE), json: templateOf(5, IMAGE), tokenizer: templateOf(7, IMAGE) };

describe('a model of text', () => {
  it('takes `chat_template.jinja` before the one of its tokenizer, and this before `chat_template.json`', async () => {
    expect(await load('text', three)).toMatchObject({ tokens: 3 });
    expect(await load('text', { json: three.json, tokenizer: three.tokenizer })).toMatchObject({ tokens: 7 });
    expect(await load('text', { json: three.json })).toMatchObject({ tokens: 5 });
  });
});

describe('a model that sees', () => {
  it('takes `chat_template.jinja`, then `chat_template.json`, then the one of its tokenizer', async () => {
    const images = { images: true };
    expect(await load('seeing', three)).toMatchObject({ tokens: 3, info: images });
    expect(await load('seeing', { json: three.json, tokenizer: three.tokenizer })).toMatchObject({
      tokens: 5,
      info: images,
    });
    expect(await load('seeing', { tokenizer: three.tokenizer })).toMatchObject({ tokens: 7, info: images });
  });

  it('takes the first that writes images', async () => {
    const given = { jinja: templateOf(3), json: three.json, tokenizer: three.tokenizer };
    expect(await load('seeing', given)).toMatchObject({ tokens: 5, info: { images: true } });
    // As in Qwen2.5-VL: the tokenizer's is for text.
    const { tokens, info } = await load('seeing', { json: three.json, tokenizer: templateOf(7) });
    expect([tokens, info.images, info.warning]).toEqual([5, true, undefined]);
  });

  it('takes no images when none of them writes any, and says so', async () => {
    const { tokens, info } = await load('seeing', { tokenizer: templateOf(7) });
    expect([tokens, info.images]).toEqual([7, false]);
    expect(info.warning).toContain('`<|image_pad|>`');
  });
});
