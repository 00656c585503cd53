/** Which of a repository's chat templates is used, read from the prompts of models that are loaded from it. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { makeVisionModels, VISION_MODELS } from '../../../vision/make-vision-models.js';
import { filesOfFolder, LOAD, modelServer } from '../support/web-build.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A template that writes so many control tokens, whatever the conversation is. */
const templateOf = (tokens: number, image = ''): string =>
  `${'<|im_start|>'.repeat(tokens)}{% if messages | length > 100 %}${image}{% endif %}${WORDS}`;
/** What is said, as texts or as parts. A template without it is refused. */
const WORDS =
  '{% for message in messages %}{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}{{ part.text }}{% endfor %}{% endif %}{% endfor %}';
const IMAGE = '<|vision_start|><|image_pad|><|vision_end|>';

const TOOL = { name: 'look_up', parameters: { type: 'object' } };

/** How a repository without templates is completed. */
interface Templates {
  jinja?: string;
  /** Beside it, for tools. */
  forTools?: string;
  json?: unknown;
  tokenizer?: unknown;
  /** Other files, as they are instead; undefined: not at all. */
  files?: Record<string, unknown>;
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

async function load(kind: 'text' | 'seeing', { jinja, forTools, json, tokenizer, files: others }: Templates) {
  const { chat_template: _, ...bare } = JSON.parse(
    Buffer.from(files[kind]['tokenizer_config.json']!).toString(),
  ) as Record<string, unknown>;
  const made = {
    ...files[kind],
    'tokenizer_config.json': { ...bare, ...(tokenizer !== undefined && { chat_template: tokenizer }) },
    ...(jinja !== undefined && { 'chat_template.jinja': jinja }),
    ...(forTools !== undefined && { 'additional_chat_templates/tool_use.jinja': forTools }),
    ...(json !== undefined && { 'chat_template.json': { chat_template: json } }),
    ...others,
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
  const said = await model.countTokens(plainGenerationRequest('made', { type: 'raw', text: 'Hello' }), LOAD.signal);
  const tokens = (await model.countTokens(request, LOAD.signal)) - said;
  const withTools = await model.countTokens({ ...request, tools: [TOOL] }, LOAD.signal);
  await model.unload();
  return { tokens, withTools, info: model.info };
}

const three = { jinja: templateOf(3, IMAGE), json: templateOf(5, IMAGE), tokenizer: templateOf(7, IMAGE) };

describe('a model of text', () => {
  it('takes `chat_template.jinja` before the one of its tokenizer, and this before `chat_template.json`', async () => {
    expect(await load('text', three)).toMatchObject({ tokens: 3 });
    expect(await load('text', { json: three.json, tokenizer: three.tokenizer })).toMatchObject({ tokens: 7 });
    expect(await load('text', { json: three.json })).toMatchObject({ tokens: 5 });
  });
});

describe('a template of its own for tools', () => {
  const plain = templateOf(3);
  const forTools = `${templateOf(5)}{{ tools | tojson }}`;
  const whole = async (templates: Templates) => {
    const { tokens, withTools } = await load('text', templates);
    return [tokens, withTools > 20];
  };

  it('is read from the folder beside `chat_template.jinja`', async () => {
    expect(await whole({ jinja: plain, forTools })).toEqual([3, true]);
    // Then the tokenizer's templates do not count.
    expect(await whole({ jinja: plain, forTools, tokenizer: templateOf(7) })).toEqual([3, true]);
  });

  it.each<[string, keyof Templates]>([
    ['`tokenizer_config.json`', 'tokenizer'],
    ['`chat_template.json`', 'json'],
  ])('is read from the list of %s', async (_, place) => {
    const list = [
      { name: 'default', template: plain },
      { name: 'tool_use', template: forTools },
      { name: 'rag', template: templateOf(9) },
    ];
    expect(await whole({ [place]: list })).toEqual([3, true]);
    const byName = Object.fromEntries(list.map(({ name, template }) => [name, template]));
    expect(await whole({ [place]: byName })).toEqual([3, true]);
    // Whoever has one template alone uses it for all.
    expect(await whole({ [place]: list.slice(1, 2) })).toEqual([expect.any(Number), true]);
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

  it.each<[string, Record<string, unknown>, string]>([
    ['has no processor', { 'preprocessor_config.json': undefined }, '`preprocessor_config.json`'],
    [
      'has a processor that the library does not know',
      {
        'preprocessor_config.json': {
          processor_class: 'LlavaOnevisionProcessor',
          image_processor_type: 'ViTImageProcessor',
        },
      },
      '`LlavaOnevisionProcessor`',
    ],
    [
      'has images that the library cannot process',
      { 'preprocessor_config.json': { image_processor_type: 'MadeUpImageProcessor' } },
      'MadeUpImageProcessor',
    ],
    [
      'lacks a file of its processor',
      {
        'preprocessor_config.json': {
          processor_class: 'PixtralProcessor',
          image_processor_type: 'PixtralImageProcessor',
        },
      },
      'processor_config.json',
    ],
  ])('runs for text where its repository %s, and says so', async (_, others, reason) => {
    const { tokens, info } = await load('seeing', { jinja: templateOf(3, IMAGE), files: others });
    expect([tokens, info.images]).toEqual([3, false]);
    expect(info.warning).toContain(reason);
    expect(info.warning).toContain('so it accepts text only.');
  });
});
