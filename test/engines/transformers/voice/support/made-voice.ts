/** Loads a made synthesiser, and lets it and the library speak. */
import { pipeline } from '@huggingface/transformers';
import { expect, vi } from 'vitest';
import type { LoadedModel } from '../../../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../../../src/core/models/model-entry.js';
import type { SpeechRequest } from '../../../../../src/core/request/speech-request.js';
import { loadVoiceModel } from '../../../../../src/engines/transformers/voice/load-voice-model.js';
import { FLOAT, INT64, type OnnxFile } from '../../../../support/onnx-file.js';
import { RandomGraph } from '../../../../vision/random-graph.js';
import { LOAD, modelServer } from '../../support/web-build.js';
import { wordTokenizer } from '../../support/word-tokenizer.js';

const RATE = 24_000;
export const bytesOf = (graph: OnnxFile) => Buffer.concat(graph.toMessage());
export const floats = (length: number, at: (place: number) => number) =>
  Float32Array.from({ length }, (_, place) => at(place));
export const bytesOfFloats = (values: Float32Array) => new Uint8Array(values.buffer);

export async function load(
  name: string,
  files: Record<string, unknown>,
  changes: Partial<ModelEntry> = {},
): Promise<LoadedModel> {
  vi.stubGlobal(
    'fetch',
    modelServer({ [name]: { ...wordTokenizer(['red', 'green', 'blue', 'gold', 'teal', 'pink']), ...files } }).fetch,
  );
  const entry = {
    id: name,
    task: 'text-to-speech',
    backend: 'transformers',
    source: `/models/${name}`,
    dtype: 'fp32',
  } as const;
  return loadVoiceModel({ ...entry, ...changes }, LOAD);
}

/** The samples of an answer, -1 to 1. */
export async function speak(
  model: LoadedModel,
  changes: Partial<SpeechRequest> = {},
  signal = LOAD.signal,
): Promise<number[]> {
  const plain = { model: 'made', input: 'red green blue', voice: 'alloy', format: 'pcm', speed: 1, seed: 0 } as const;
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of model.speak!({ ...plain, ...changes }, signal)) pieces.push(bytes);
  const bytes = Buffer.concat(pieces);
  return Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_767);
}

/** Equal but for the rounding to 16 bits. */
export function expectSame(samples: readonly number[], others: ArrayLike<number>): void {
  expect(samples).toHaveLength(others.length);
  const farthest = samples.reduce((most, sample, at) => Math.max(most, Math.abs(sample - others[at]!)), 0);
  expect(farthest).toBeLessThan(1e-4);
  expect(new Set(samples).size).toBeGreaterThan(20);
}

/** What the library's pipeline makes of the same files. */
export async function pipelineSamples(name: string, options: object = {}): Promise<Float32Array> {
  const synthesise = await pipeline('text-to-speech', `/models/${name}`, { dtype: 'fp32', device: 'wasm' });
  const { audio } = (await synthesise('red green blue', options)) as unknown as { audio: Float32Array };
  await synthesise.dispose();
  return audio;
}

/** A VITS repository with random weights; @param each samples of a token */
export function madeVits(each = 500): Record<string, unknown> {
  const graph = new RandomGraph(13);
  graph.input('input_ids', INT64, ['batch_size', 'tokens']);
  graph.input('attention_mask', INT64, ['batch_size', 'tokens']);
  const table = graph.op('Gather', [graph.weights('table', [16, 8], 1), 'input_ids'], { axis: 0 });
  const mask = graph.op('Unsqueeze', [graph.op('Cast', ['attention_mask'], { to: FLOAT }), graph.ints(2)]);
  const samples = graph.op('Tanh', [graph.product(graph.op('Mul', [table, mask]), 'wide', [8, each], 0.5)]);
  graph.node('Reshape', [samples, graph.ints(1, -1)], 'waveform');
  graph.output('waveform', FLOAT, ['batch_size', 'samples']);
  const config = { model_type: 'vits', architectures: ['VitsModel'], sampling_rate: RATE };
  return { 'config.json': config, 'onnx/model.onnx': bytesOf(graph) };
}
