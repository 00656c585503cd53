import { expect, it } from 'vitest';
import { GpuLogits, type LogitsRequest } from '../../../../src/engines/transformers/gpu/gpu-logits.js';
import { floatsToHalves, halfToFloats } from '../../../../src/engines/transformers/ort/half-floats.js';
import { createTensor, type OnnxTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { AnswerRandom, type RandomNumbers } from '../../../../src/language/sampling/random.js';
import { TokenSampler } from '../../../../src/language/sampling/sample-token.js';
import type { SampleSettings } from '../../../../src/language/sampling/token-logits.js';
import { greatestOf } from '../../../language/sampling/greatest-of.js';

/** Odd, so that rows of halves begin in the middle of words; longer than one workgroup's part. */
const STRIDE = 9001;
const VOCABULARY = 8995;
const [ROWS, GIVEN, KEEP] = [2, 3, 2];

function exampleOf(type: string, dims: readonly number[]): OnnxTensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  const data = { float16: new Uint16Array(size), int32: new Int32Array(size) }[type] ?? new Float32Array(size);
  return createTensor(type, data, dims);
}

/** Bytes of each buffer that was mapped for reading. */
let copied: number[] = [];
const { mapAsync } = GPUBuffer.prototype;
GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, mode, ...range) {
  if (mode === GPUMapMode.READ) copied.push(this.size);
  return mapAsync.call(this, mode, ...range);
};

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
    const found = await logits.read(
      ROWS,
      GIVEN,
      KEEP,
      Array.from({ length: ROWS }, () => ({ type: 'greatest', count }) as const),
    );
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
  expect(
    await logits.read(
      ROWS,
      GIVEN,
      KEEP,
      Array.from({ length: ROWS }, () => ({ type: 'all' }) as const),
    ),
  ).toEqual(expected);
  logits.dispose();
  device.destroy();
});

/** Two likely words, a long tail that has as much weight, and what is no number. */
function logitAt(place: number): number {
  const random = Math.imul(place + 1, 0x9e3779b1) >>> 8;
  if (place % STRIDE === 4000 || place % STRIDE === 8994) return 16;
  return [NaN, -Infinity][random % 500] ?? (random % 4096) / 512;
}

const SETTINGS: SampleSettings[] = [
  { temperature: 1, topP: 1, minP: 0 },
  { temperature: 0.7, topP: 1, minP: 0.02 },
  { temperature: 3, topP: 0.95, minP: 0 },
  { temperature: 2, topP: 0.6, minP: 1e-4 },
  { temperature: 0.002, topP: 0.99, minP: 0 },
];

it.each(['float32', 'float16'])(
  'draws from %s what the sampler draws, and copies a word for each token',
  async (type) => {
    const device = await deviceOf();
    const logits = (await GpuLogits.like(exampleOf(type, [1, 1, STRIDE]), 1, device, VOCABULARY))!;
    const floats = Float32Array.from({ length: ROWS * GIVEN * STRIDE }, (_, place) => logitAt(place));
    const halves = floatsToHalves(Float32Array.from([...floats, 0]));
    const data = type === 'float16' ? halves : floats;
    const numbers = type === 'float16' ? halfToFloats(halves) : floats;
    device.queue.writeBuffer(
      logits.take(ROWS, GIVEN)!.gpuBuffer,
      0,
      data.buffer,
      0,
      Math.floor(data.byteLength / 4) * 4,
    );
    const seen = new Set<number>();
    for (const [seed, settings] of SETTINGS.entries()) {
      const sampler = new TokenSampler(VOCABULARY, settings);
      const answers = Array.from({ length: 4 }, (_, stream) => new AnswerRandom(seed, stream));
      const randomOf = (place: number): RandomNumbers[] => answers.map((answer) => answer.at(place));
      const need = (row: number): LogitsRequest => ({
        type: 'sample',
        settings,
        random: Array.from({ length: KEEP }, (_, place) => randomOf(row * KEEP + place)),
      });
      copied = [];
      const drawn = await logits.read(ROWS, GIVEN, KEEP, [need(0), need(1)]);
      expect(copied).toEqual([ROWS * KEEP * answers.length * 4]);
      for (const [row, places] of drawn.entries()) {
        for (const [place, tokens] of places.entries()) {
          const start = (row * GIVEN + GIVEN - KEEP + place) * STRIDE;
          const all = numbers.slice(start, start + VOCABULARY);
          const expected = randomOf(row * KEEP + place).map((random) => sampler.sample(all, random));
          expect(tokens).toEqual({ sampled: expected });
          for (const token of expected) seen.add(token);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(30);
    logits.dispose();
    device.destroy();
  },
);

it('reads for each row what it needs, at once, and the logits where top_p allows nothing that was drawn', async () => {
  const device = await deviceOf();
  const logits = (await GpuLogits.like(exampleOf('float32', [1, 1, 100]), 1, device, 100))!;
  const rows = [5, 5, 5, 0, NaN].map((top) =>
    Float32Array.from({ length: 100 }, (_, token) => top - (token === 7 ? 0 : 5)),
  );
  // Nearly all of these are equally likely.
  rows[3]!.fill(0);
  const target = logits.take(rows.length, 1)!;
  for (const [row, values] of rows.entries()) device.queue.writeBuffer(target.gpuBuffer, row * 400, values.buffer);
  const draw = (topP: number): LogitsRequest => ({
    type: 'sample',
    settings: { temperature: 0.5, topP, minP: 0 },
    random: [[new AnswerRandom(1, 0).at(0)]],
  });
  const needs: LogitsRequest[] = [draw(1), { type: 'greatest', count: 2 }, { type: 'all' }, draw(0.01), draw(1)];
  copied = [];
  const [first, second, third, fourth, fifth] = await logits.read(rows.length, 1, 1, needs);
  expect(copied).toEqual([4 + 16 + 400 + 4 + 4, 400]);
  expect(first).toEqual([{ sampled: [7] }]);
  expect(second).toEqual([{ tokens: [0, 7], values: Float32Array.of(0, 5) }]);
  expect([third![0], fourth![0]]).toEqual([rows[2], rows[3]]);
  expect(fifth).toEqual([{ sampled: [-1] }]);
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
