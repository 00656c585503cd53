import { describe, expect, it } from 'vitest';
import { chooseDtype, dtypeFor, dtypeWarning } from '../../../../src/engines/transformers/repository/choose-dtype.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';

const entry: ModelEntry = { id: 'a', task: 'chat', backend: 'transformers' };
const graphs = ['model'];
/** Neither the config nor a list of files says anything. */
const silent = { configured: () => undefined, listed: async () => [] };
const repository = (...suffixes: string[]) => {
  const asked: string[] = [];
  return {
    asked,
    has: async (file: string) => {
      asked.push(file);
      return suffixes.some((suffix) => file === `onnx/model_${suffix}.onnx`);
    },
  };
};

describe('chooseDtype', () => {
  it.each([
    ['wasm', ['q4', 'q4f16', 'quantized'], true, 'q8'],
    ['wasm', ['q4', 'uint8', 'int8'], true, 'int8'],
    ['wasm', ['q4', 'fp16'], true, 'q4'],
    ['wasm', ['fp16', 'q4f16'], false, 'fp16'],
    ['webgpu', ['q4', 'q4f16', 'quantized'], true, 'q4f16'],
    ['webgpu', ['q4', 'q4f16', 'quantized'], false, 'q4'],
    ['webgpu', ['q4f16', 'quantized'], false, 'q8'],
    ['webgpu', ['fp16', 'quantized'], true, 'fp16'],
    ['webgpu', ['fp16', 'quantized'], false, 'q8'],
    ['wasm', ['q8f16'], true, undefined],
  ] as const)('takes on %s of %j (16-bit floats: %s) %s', async (device, files, halfFloats, expected) => {
    const { has } = repository(...files);
    for (const dtype of [undefined, 'auto', {}]) {
      const asked = { ...entry, ...(dtype !== undefined && { dtype }) };
      expect(await chooseDtype(asked, { device, halfFloats, graphs, has, ...silent })).toBe(expected);
    }
  });

  it('asks for no file where the entry says it, for all devices or by device', async () => {
    const { asked, has } = repository('quantized', 'q4');
    const rest = { halfFloats: true, graphs, has, ...silent };
    expect(await chooseDtype({ ...entry, dtype: 'fp16' }, { device: 'wasm', ...rest })).toBe('fp16');
    const dtype = { wasm: 'int8', webgpu: 'q4f16' };
    expect(await chooseDtype({ ...entry, dtype }, { device: 'wasm', ...rest })).toBe('int8');
    expect(await chooseDtype({ ...entry, dtype }, { device: 'webgpu', ...rest })).toBe('q4f16');
    expect(asked).toEqual([]);
  });

  it.each([
    ['wasm', ['quantized', 'q4'], undefined, 'q8'],
    // As sentence-transformers writes them: no 8 bits of this name.
    ['wasm', ['', 'O4', 'qint8_avx512'], undefined, 'fp32'],
    ['wasm', ['', 'quantized'], 'fp32', 'fp32'],
    ['wasm', ['quantized'], 'fp32', 'q8'],
    ['webgpu', ['', 'q4', 'quantized'], undefined, 'fp32'],
    ['webgpu', ['quantized', 'q4f16'], undefined, 'q8'],
  ] as const)(
    'takes for embeddings on %s of %j, where the config says %s, %s',
    async (device, files, own, expected) => {
      const names = files.map((suffix) => `onnx/model${suffix === '' ? '' : `_${suffix}`}.onnx`);
      const has = async (file: string): Promise<boolean> => names.includes(file);
      const choice = { device, halfFloats: false, graphs, has, ...silent, configured: () => own };
      expect(await chooseDtype({ ...entry, task: 'embeddings' }, choice)).toBe(expected);
    },
  );

  it('takes for speech what each part has, and one for both where it can', async () => {
    const speech: ModelEntry = { ...entry, task: 'speech-to-text' };
    const choice = {
      device: 'wasm',
      halfFloats: false,
      graphs: ['encoder_model', 'decoder_model_merged'],
      ...silent,
    } as const;
    const [encoder, decoder] = ['onnx/encoder_model.onnx', 'onnx/decoder_model_merged_quantized.onnx'];
    const both = ['onnx/encoder_model_quantized.onnx', decoder];
    expect(await chooseDtype(speech, { ...choice, has: async (file) => both.includes(file) })).toBe('q8');
    expect(await chooseDtype(speech, { ...choice, has: async (file) => [encoder, decoder].includes(file) })).toEqual({
      encoder_model: 'fp32',
      decoder_model_merged: 'q8',
    });
  });

  it('says why it takes another than the best', async () => {
    const reasons: string[] = [];
    const choice = {
      halfFloats: false,
      graphs,
      ...silent,
      onSubstitute: (reason: string) => void reasons.push(reason),
    };
    await chooseDtype(entry, { device: 'wasm', ...choice, has: repository('quantized').has });
    expect(reasons).toEqual([]);
    await chooseDtype(entry, { device: 'wasm', ...choice, has: repository('q4').has });
    await chooseDtype(entry, { device: 'webgpu', ...choice, has: repository('fp32', 'uint8').has });
    expect(reasons).toEqual([
      expect.stringMatching(/no `q8` .*weights.*wasm.*uses `q4`/),
      expect.stringMatching(/no `q4` weights.*webgpu.*uses `uint8`/),
    ]);
  });

  it('refuses a repository whose list has no file that can run, and tells what is there', async () => {
    const listed = async () => ['config.json', 'onnx/model_O4.onnx', 'openvino/model.xml'];
    const has = async (file: string): Promise<boolean> => (await listed()).includes(file);
    const choosing = chooseDtype(entry, { device: 'wasm', halfFloats: false, graphs, has, ...silent, listed });
    await expect(choosing).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(/onnx\/model_quantized\.onnx.*onnx\/model_O4\.onnx\./),
    });
  });

  describe('for a model in parts', () => {
    const parts = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'];
    const files = new Set([
      'onnx/embed_tokens.onnx',
      'onnx/embed_tokens_fp16.onnx',
      'onnx/vision_encoder_quantized.onnx',
      'onnx/vision_encoder_q4.onnx',
      'onnx/decoder_model_merged_quantized.onnx',
      'onnx/decoder_model_merged_q4f16.onnx',
      'onnx/decoder_model_merged_q4.onnx',
    ]);
    const has = async (file: string) => files.has(file);

    it('takes for each part what is there', async () => {
      expect(await chooseDtype(entry, { device: 'wasm', halfFloats: false, graphs: parts, has, ...silent })).toEqual({
        embed_tokens: 'fp32',
        vision_encoder: 'q8',
        decoder_model_merged: 'q8',
      });
      expect(await chooseDtype(entry, { device: 'webgpu', halfFloats: true, graphs: parts, has, ...silent })).toEqual({
        embed_tokens: 'fp16',
        vision_encoder: 'q4',
        decoder_model_merged: 'q4f16',
      });
    });

    it('takes what the entry says of a part, and chooses the others', async () => {
      const choice = { device: 'webgpu', halfFloats: false, graphs: parts, has, ...silent } as const;
      const dtype = { decoder_model_merged: 'q8' };
      const expected = { embed_tokens: 'fp32', vision_encoder: 'q4', decoder_model_merged: 'q8' };
      expect(await chooseDtype({ ...entry, dtype }, choice)).toEqual(expected);
      expect(await chooseDtype({ ...entry, dtype: { webgpu: dtype } }, choice)).toEqual(expected);
    });
  });
});

it('dtypeFor reads one precision for all devices, and one by device', () => {
  expect(dtypeFor({ ...entry, dtype: 'q4' }, 'wasm')).toBe('q4');
  expect(dtypeFor({ ...entry, dtype: { wasm: 'q8' } }, 'wasm')).toBe('q8');
  expect(dtypeFor({ ...entry, dtype: { wasm: 'q8' } }, 'webgpu')).toBeUndefined();
});

it.each([
  ['q4', 'wasm', true],
  ['q4f16', 'wasm', true],
  ['bnb4', 'wasm', true],
  ['q8', 'wasm', false],
  ['fp32', 'wasm', false],
  [undefined, 'wasm', false],
  ['q4', 'webgpu', false],
] as const)('dtypeWarning of %s on %s: %s', (dtype, device, warns) => {
  expect(dtypeWarning(dtype, device) !== undefined).toBe(warns);
});
