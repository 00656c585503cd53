import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { chooseWeights, weightsOfOtherName } from '../../../../src/engines/transformers/repository/choose-weights.js';

const ENTRY: ModelEntry = { id: 'made', task: 'chat', backend: 'transformers' };
const [USUAL, OTHER] = ['onnx/model_quantized.onnx', 'onnx/model_q8.onnx'];

/** A model's files, and the questions that a server was asked. */
function repository({ kept, listed, served }: Record<'kept' | 'listed' | 'served', string[]>) {
  const asked: string[] = [];
  const files = {
    isStored: async (file: string) => kept.includes(file),
    listed: async () => listed,
    async exists(file: string) {
      if (kept.includes(file)) return true;
      if (listed.length > 0) return listed.includes(file);
      asked.push(file);
      return served.includes(file);
    },
  };
  const choose = (entry: Partial<ModelEntry>, graphs = ['model']) =>
    chooseWeights({ ...ENTRY, ...entry }, { device: 'wasm', halfFloats: false, graphs, config: {}, files });
  return { asked, choose, files };
}

const NONE = { kept: [], listed: [], served: [] };
const OF_OTHER = { graphs: ['model_q8'], dtype: 'fp32', named: 'q8' };

describe('8 bits in a file named model_q8.onnx', () => {
  it.each([
    ['listed, beside 4 bits', { ...NONE, listed: ['onnx/model_q4.onnx', OTHER] }, {}],
    ['listed, and asked for', { ...NONE, listed: [OTHER] }, { dtype: 'q8' }],
    ['asked for by device', { ...NONE, listed: [OTHER] }, { dtype: { wasm: 'q8' } }],
    ['asked for by graph', { ...NONE, listed: [OTHER] }, { dtype: { model: 'q8' } }],
    ['kept, and asked for, offline', { ...NONE, kept: [OTHER] }, { dtype: 'q8' }],
    ['kept, offline', { ...NONE, kept: [OTHER] }, {}],
  ] as [string, typeof NONE, Partial<ModelEntry>][])('are taken: %s', async (_, files, entry) => {
    expect(await repository(files).choose(entry)).toMatchObject(OF_OTHER);
  });

  it('come with their weights beside the graph', async () => {
    const { choose } = repository({ ...NONE, listed: [OTHER, `${OTHER}_data`, `${OTHER}_data_1`] });
    expect(await choose({ dtype: 'q8' })).toMatchObject({ ...OF_OTHER, shards: { 'model_q8.onnx': 2 } });
  });

  it('are asked for when the server has none of the usual name', async () => {
    const { asked, choose } = repository({ ...NONE, served: [OTHER] });
    expect(await choose({})).toMatchObject(OF_OTHER);
    expect(asked).toEqual([USUAL, OTHER]);
  });

  it.each([
    ['one of the usual name is listed', { ...NONE, listed: [USUAL, OTHER] }, { dtype: 'q8' }],
    ['one of the usual name is kept', { ...NONE, kept: [USUAL, OTHER] }, { dtype: 'q8' }],
    ['the server may have one of the usual name', NONE, { dtype: 'q8' }],
    ['they are not there', { ...NONE, listed: ['onnx/model_q4.onnx'] }, { dtype: 'q8' }],
    ['another precision is asked for', { ...NONE, listed: [OTHER] }, { dtype: 'q4' }],
  ] as [string, typeof NONE, Partial<ModelEntry>][])('are left where %s', async (_, files, entry) => {
    const { asked, choose } = repository(files);
    expect(await choose(entry)).toMatchObject({ graphs: ['model'], dtype: entry.dtype });
    // What an entry says is believed, and a refusal may still come.
    expect(asked).toEqual([]);
  });

  it('are not looked for in models of several graphs, which the library opens under their own names', async () => {
    const { asked, choose } = repository(NONE);
    await choose({ task: 'speech-to-text' }, ['encoder_model', 'decoder_model_merged']);
    expect(asked.filter((file) => file.endsWith('_q8.onnx'))).toEqual([]);
  });
});

describe('the other name, once a server has said what it lacks', () => {
  const settle = async (
    { missing, served, config = {} }: { missing: string[]; served: string[]; config?: object },
    entry: Partial<ModelEntry> = { dtype: 'q8' },
    graphs = ['model'],
  ) => {
    const { asked, choose, files } = repository({ ...NONE, served });
    const weights = await choose(entry, graphs);
    asked.length = 0;
    const found = await weightsOfOtherName(weights, { device: 'wasm', config, files }, (file) =>
      missing.includes(file),
    );
    return { found, asked };
  };

  it.each([{ dtype: 'q8' }, { dtype: { wasm: 'q8' } }, { dtype: { model: 'q8' } }] as Partial<ModelEntry>[])(
    'is asked for and taken: %j',
    async (entry) => {
      const { found, asked } = await settle({ missing: [USUAL], served: [OTHER] }, entry);
      expect(found).toMatchObject({ ...OF_OTHER, shards: { 'model_q8.onnx': 0 } });
      expect(asked).toEqual([OTHER]);
    },
  );

  it('comes with the weights beside its graph that the config tells', async () => {
    const config = { 'transformers.js_config': { use_external_data_format: { 'model_q8.onnx': 2 } } };
    const { found } = await settle({ missing: [USUAL], served: [OTHER], config });
    expect(found).toMatchObject({ ...OF_OTHER, shards: { 'model_q8.onnx': 2 } });
  });

  it('is left where the server has neither', async () => {
    expect(await settle({ missing: [USUAL], served: [] })).toEqual({ found: undefined, asked: [OTHER] });
  });

  it.each<[string, string[], Partial<ModelEntry>, string[]]>([
    ['something else failed', [], { dtype: 'q8' }, ['model']],
    ['another precision was asked for', ['onnx/model_q4.onnx'], { dtype: 'q4' }, ['model']],
    [
      'the model has several graphs',
      ['onnx/encoder_model_quantized.onnx'],
      { task: 'speech-to-text', dtype: 'q8' },
      ['encoder_model', 'decoder_model_merged'],
    ],
  ])('is not asked for where %s', async (_, missing, entry, graphs) => {
    const files = { missing, served: [OTHER] };
    expect(await settle(files, entry, graphs)).toEqual({ found: undefined, asked: [] });
  });
});
