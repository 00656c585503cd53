/** Where models that see may have their chat template: all but one of them have it in another file than the library looks in. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { CLASS_CASES } from '../classes/decoder-forms.js';
import { lookAtPictures } from '../classes/look-at-pictures.js';
import { madeModel } from '../classes/made-model.js';
import { drawFlat } from '../support/flat-pictures.js';
import { LOAD, modelServer } from '../support/web-build.js';

afterEach(() => void vi.unstubAllGlobals());

const decode = (bytes: unknown): string => new TextDecoder().decode(bytes as Uint8Array);

describe.each(['gemma3', 'gemma3n', 'gemma4', 'qwen2_vl', 'smolvlm'])('%s sees with a template', (type) => {
  it.each([
    ['chat_template.json', (template: string) => ({ 'chat_template.json': { chat_template: template } })],
    [
      'tokenizer_config.json',
      (template: string, config: string) => ({
        'tokenizer_config.json': { ...(JSON.parse(config) as object), chat_template: template },
      }),
    ],
    [
      'chat_template.json, beside one for text',
      (template: string, config: string) => ({
        'chat_template.json': { chat_template: template },
        'tokenizer_config.json': { ...(JSON.parse(config) as object), chat_template: '{{ messages[0].content }}' },
      }),
    ],
  ])('in %s', async (place, filesWith) => {
    const each = CLASS_CASES.find((one) => one.type === type)!;
    const { 'chat_template.jinja': template, ...files } = Object.fromEntries<unknown>(madeModel(each));
    const name = `${type}-${place.replaceAll(/\W+/g, '-')}`;
    const changed = filesWith(decode(template), decode(files['tokenizer_config.json']));
    vi.stubGlobal('fetch', modelServer({ [name]: { ...files, ...changed } }).fetch);
    const source = `http://localhost/models/${name}`;
    const model = await loadTextModel(
      { id: name, task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'fp32' },
      LOAD,
    );
    expect(model.info.warning).toBeUndefined();
    await lookAtPictures(model, each.form, each.seeing!, { draw: async (picture) => drawFlat(picture), count: 2 });
    await model.unload();
  });
});
