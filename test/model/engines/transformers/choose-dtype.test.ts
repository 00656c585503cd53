import { describe, expect, it } from 'vitest';
import { chooseDtype, dtypeFor, dtypeWarning } from '../../../../src/model/engines/transformers/choose-dtype.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';

const entry: ModelEntry = { id: 'a', task: 'chat', backend: 'transformers' };
const graphs = ['model'];
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
    ['wasm', ['q4', 'fp16'], true, undefined],
    ['webgpu', ['q4', 'q4f16', 'quantized'], true, 'q4f16'],
    ['webgpu', ['q4', 'q4f16', 'quantized'], false, 'q4'],
    ['webgpu', ['q4f16', 'quantized'], false, undefined],
  ] as const)('takes on %s of %j (16-bit floats: %s) %s', async (device, files, halfFloats, expected) => {
    const { has } = repository(...files);
    for (const dtype of [undefined, 'auto', {}]) {
      const asked = { ...entry, ...(dtype !== undefined && { dtype }) };
      expect(await chooseDtype(asked, { device, halfFloats, graphs, has })).toBe(expected);
    }
  });

  it('asks for no file where the entry says it, for all devices or by device', async () => {
    const { asked, has } = repository('quantized', 'q4');
    const rest = { halfFloats: true, graphs, has };
    expect(await chooseDtype({ ...entry, dtype: 'fp16' }, { device: 'wasm', ...rest })).toBe('fp16');
    const dtype = { wasm: 'int8', webgpu: 'q4f16' };
    expect(await chooseDtype({ ...entry, dtype }, { device: 'wasm', ...rest })).toBe('int8');
    expect(await chooseDtype({ ...entry, dtype }, { device: 'webgpu', ...rest })).toBe('q4f16');
    expect(asked).toEqual([]);
  });

  it('leaves speech models to transformers.js', async () => {
    const { asked, has } = repository('quantized');
    const choice = {
      device: 'wasm',
      halfFloats: false,
      graphs: ['encoder_model', 'decoder_model_merged'],
      has,
    } as const;
    expect(await chooseDtype({ ...entry, task: 'speech' }, choice)).toBeUndefined();
    expect(asked).toEqual([]);
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
      expect(await chooseDtype(entry, { device: 'wasm', halfFloats: false, graphs: parts, has })).toEqual({
        embed_tokens: 'fp32',
        vision_encoder: 'q8',
        decoder_model_merged: 'q8',
      });
      expect(await chooseDtype(entry, { device: 'webgpu', halfFloats: true, graphs: parts, has })).toEqual({
        embed_tokens: 'fp16',
        vision_encoder: 'q4',
        decoder_model_merged: 'q4f16',
      });
    });

    it('takes what the entry says of a part, and chooses the others', async () => {
      const choice = { device: 'webgpu', halfFloats: false, graphs: parts, has } as const;
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
