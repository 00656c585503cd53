import { describe, expect, it } from 'vitest';
import { chooseDtype, dtypeFor, dtypeWarning } from '../../../src/backends/transformers/choose-dtype.js';
import type { ModelEntry } from '../../../src/models/model-entry.js';

const entry: ModelEntry = { id: 'a', task: 'chat', backend: 'transformers' };
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
      expect(await chooseDtype(asked, device, has, halfFloats)).toBe(expected);
    }
  });

  it('asks for no file where the entry says it, for all devices or by device', async () => {
    const { asked, has } = repository('quantized', 'q4');
    expect(await chooseDtype({ ...entry, dtype: 'fp16' }, 'wasm', has, false)).toBe('fp16');
    const dtype = { wasm: 'int8', webgpu: 'q4f16' };
    expect(await chooseDtype({ ...entry, dtype }, 'wasm', has, true)).toBe('int8');
    expect(await chooseDtype({ ...entry, dtype }, 'webgpu', has, true)).toBe('q4f16');
    expect(asked).toEqual([]);
  });

  it('leaves models of several files to transformers.js', async () => {
    const { asked, has } = repository('quantized');
    expect(await chooseDtype({ ...entry, task: 'speech' }, 'wasm', has, false)).toBeUndefined();
    expect(asked).toEqual([]);
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
