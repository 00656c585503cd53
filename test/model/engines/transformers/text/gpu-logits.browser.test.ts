import { expect, it } from 'vitest';
import { GpuLogits } from '../../../../../src/model/engines/transformers/text/gpu-logits.js';
import { halfToFloats } from '../../../../../src/model/engines/transformers/text/half-floats.js';
import { createTensor, type OnnxTensor } from '../../../../../src/model/engines/transformers/text/onnx-session.js';
import { greatestOf } from '../../../sampling/greatest-of.js';

/** Odd, so that rows of halves begin in the middle of words; longer than one workgroup's part. */
const STRIDE = 9001;
const VOCABULARY = 8995;
const [ROWS, GIVEN, KEEP] = [2, 3, 2];

function exampleOf(type: string, dims: readonly number[]): OnnxTensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  const data = { float16: new Uint16Array(size), int32: new Int32Array(size) }[type] ?? new Float32Array(size);
  return createTensor(type, data, dims);
}

async function deviceOf(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  return adapter!.requestDevice();
}

/** Few different values, so that nearly all are tied, and everything that is no number. */
function wordAt(place: number, type: string): number {
  const random = Math.imul(place + 1, 0x9e3779b1) >>> 8;
  const odd = random % 500;
  if (odd < 4) return type === 'float16' ? [0x7e00, 0xfc00, 0x8000, 0x0001][odd]! : [NaN, -Infinity, -0, 1e-42][odd]!;
  return type === 'float16' ? 0x3c00 + (random % 40) + (random & 0x8000) : ((random % 80) - 60) / 8;
}

it.each(['float32', 'float16'])('finds in %s what sorting all logits finds, ties and all', async (type) => {
  const device = await deviceOf();
  const logits = (await GpuLogits.like(exampleOf(type, [1, 1, STRIDE]), 1, device, VOCABULARY))!;
  const words = Array.from({ length: ROWS * GIVEN * STRIDE }, (_, place) => wordAt(place, type));
  const data = type === 'float16' ? Uint16Array.from([...words, 0]) : Float32Array.from(words);
  const target = logits.take(ROWS, GIVEN)!;
  expect(target.dims).toEqual([ROWS, GIVEN, STRIDE]);
  device.queue.writeBuffer(target.gpuBuffer, 0, data.buffer, 0, Math.floor(data.byteLength / 4) * 4);
  const numbers = data instanceof Uint16Array ? halfToFloats(data) : data;
  const expected = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: KEEP }, (__, place) => {
      const start = (row * GIVEN + GIVEN - KEEP + place) * STRIDE;
      return numbers.slice(start, start + VOCABULARY);
    }),
  );
  for (const count of [1, 41]) {
    const found = await logits.read(ROWS, GIVEN, KEEP, { type: 'greatest', count });
    // Zero has no sign here.
    const plain = expected.map((row) =>
      row.map((all) =>
        greatestOf(
          all.map((value) => value + 0),
          count,
        ),
      ),
    );
    expect(found).toEqual(plain);
  }
  expect(await logits.read(ROWS, GIVEN, KEEP, { type: 'all' })).toEqual(expected);
  logits.dispose();
  device.destroy();
});

it('is left out where logits have another form', async () => {
  const device = await deviceOf();
  for (const [type, dims] of [
    ['float32', [1, 3, 100]],
    ['float32', [1, 100]],
    ['int32', [1, 1, 100]],
  ] as const)
    expect(await GpuLogits.like(exampleOf(type, dims), 1, device, 100)).toBeUndefined();
  device.destroy();
});
