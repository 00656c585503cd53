/** What transformers.js gets when it asks for a model's files. */
import { env } from '@huggingface/transformers';
import { expect, it } from 'vitest';
import { configureFiles } from '../../../../src/engines/transformers/repository/transformers-environment.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { ModelFiles } from '../../../../src/store/model-files.js';
import { StoredResponse } from '../../../../src/store/stored-response.js';
import { FLOAT, INT64 } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';

/** A graph that gives the logits of all tokens. */
function graph(): Uint8Array<ArrayBuffer> {
  const made = new RandomGraph(1);
  made.node('Gather', [made.weights('embedding', [9, 4], 1), 'input_ids'], 'vectors', { axis: 0 });
  made.product('vectors', 'logits', [4, 9]);
  made.input('input_ids', INT64, ['batch_size', 'sequence_length']);
  made.output('logits', FLOAT, ['batch_size', 'sequence_length', 9]);
  return Uint8Array.from(Buffer.concat(made.toMessage()));
}

async function fileOf(task: ModelEntry['task'], file: string): Promise<string> {
  const location = { id: '/models/mine', folderURL: 'https://app.example/models/mine/', isFolder: true };
  const bytes = graph();
  const read = async () => new StoredResponse({ size: bytes.length, contentType: undefined, bytes: async () => bytes });
  configureFiles(location, { read } as unknown as ModelFiles, { task, signal: new AbortController().signal });
  const response = (await env.fetch(`/models/mine/${file}`)) as Response;
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

it.each(['onnx/model_quantized.onnx', 'onnx/decoder_model_merged_q4f16.onnx'])(
  'the decoder of a chat model can be asked for the last logits: %s',
  async (file) => {
    expect(await fileOf('chat', file)).toContain('num_logits_to_keep');
  },
);

it.each([
  ['chat', 'onnx/vision_encoder.onnx'],
  ['chat', 'onnx/model_q4.onnx_data'],
  ['speech-to-text', 'onnx/decoder_model_merged.onnx'],
  ['embeddings', 'onnx/model.onnx'],
] as const)('other files are as they are kept: %s, %s', async (task, file) => {
  expect(await fileOf(task, file)).toBe(Buffer.from(graph()).toString('latin1'));
});

it('a graph says which attention it has once it was read', async () => {
  const location = { id: '/models/mine', folderURL: 'https://app.example/models/mine/', isFolder: true };
  const bytes = new TextEncoder().encode('a graph with com.microsoft GroupQueryAttention in a branch');
  const read = async () => new StoredResponse({ size: bytes.length, contentType: undefined, bytes: async () => bytes });
  const { signal } = new AbortController();
  const report = configureFiles(location, { read } as unknown as ModelFiles, { task: 'chat', signal });
  const response = (await env.fetch('/models/mine/onnx/model_q4.onnx')) as Response;
  expect(report.graphHas('GroupQueryAttention')).toBe(false);
  await response.arrayBuffer();
  expect(report.graphHas('GroupQueryAttention')).toBe(true);
});
