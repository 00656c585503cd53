/** A repository with random weights in the structure of Supertonic. Imports nothing of Node: the benchmark makes it, too. */
import type { ProtobufMessage } from '../../../../../src/engines/transformers/onnx-file/protobuf.js';
import { FLOAT, INT64, type OnnxFile } from '../../../../support/onnx-file.js';
import { RandomGraph } from '../../../../vision/random-graph.js';

/** How much it computes, and how long it speaks. */
interface SupertonicSize {
  /** Of the text's states. */
  width: number;
  /** Numbers of a frame before it is compressed. */
  latent: number;
  /** For a text of common loudness. */
  seconds: number;
  /** Layers of 1,024 numbers in the denoiser. */
  hidden?: number;
  /** Samples of a frame before it is compressed. @default 5 */
  chunk?: number;
}

const SMALL: SupertonicSize = { width: 8, latent: 6, seconds: 0.02 };

/** @param style of its one voice, `F1`: rows of four */
export function madeSupertonic(style: Float32Array, size = SMALL): Record<string, unknown> {
  const { width: WIDTH, latent: LATENT, seconds, hidden = 0, chunk: CHUNK = 5 } = size;
  const [STYLE, FACTOR] = [4, 2];
  const encoder = new RandomGraph(19);
  for (const name of ['input_ids', 'attention_mask']) encoder.input(name, INT64, ['batch_size', 'tokens']);
  encoder.input('style', FLOAT, ['batch_size', 'rows', STYLE]);
  const text = encoder.op('Gather', [encoder.weights('table', [16, WIDTH], 1), 'input_ids'], { axis: 0 });
  const own = encoder.op('ReduceMean', [encoder.product('style', 'styled', [STYLE, WIDTH]), encoder.ints(1)], {
    keepdims: 1,
  });
  encoder.node('Add', [text, own], 'last_hidden_state');
  const loud = encoder.op('ReduceMean', [encoder.op('Abs', ['last_hidden_state']), encoder.ints(1, 2)], {
    keepdims: 0,
  });
  encoder.node('Mul', [loud, encoder.number(seconds)], 'durations');
  encoder.output('last_hidden_state', FLOAT, ['batch_size', 'tokens', WIDTH]);
  encoder.output('durations', FLOAT, ['batch_size']);

  const denoiser = new RandomGraph(29);
  denoiser.input('style', FLOAT, ['batch_size', 'rows', STYLE]);
  denoiser.input('noisy_latents', FLOAT, ['batch_size', LATENT * FACTOR, 'frames']);
  denoiser.input('encoder_outputs', FLOAT, ['batch_size', 'tokens', WIDTH]);
  for (const [name, size] of [
    ['latent_mask', 'frames'],
    ['attention_mask', 'tokens'],
  ] as const)
    denoiser.input(name, INT64, ['batch_size', size]);
  for (const name of ['timestep', 'num_inference_steps']) denoiser.input(name, FLOAT, ['batch_size']);
  const frames = denoiser.op('Transpose', ['noisy_latents'], { perm: [0, 2, 1] });
  let mixed = denoiser.product(frames, 'mixed', [LATENT * FACTOR, LATENT * FACTOR]);
  for (let layer = 0; layer < hidden; layer++) {
    const wide = denoiser.op('Tanh', [denoiser.product(mixed, `wide.${layer}`, [LATENT * FACTOR, 1024])]);
    mixed = denoiser.product(wide, `narrow.${layer}`, [1024, LATENT * FACTOR]);
  }
  const heard = denoiser.op(
    'ReduceMean',
    [denoiser.product('encoder_outputs', 'heard', [WIDTH, LATENT * FACTOR]), denoiser.ints(1)],
    { keepdims: 1 },
  );
  const styled = denoiser.op(
    'ReduceMean',
    [denoiser.product('style', 'styled', [STYLE, LATENT * FACTOR]), denoiser.ints(1)],
    { keepdims: 1 },
  );
  const part = denoiser.op('Div', ['timestep', 'num_inference_steps']);
  const all = [heard, styled, part].reduce((sum, each) => denoiser.op('Add', [sum, each]), mixed);
  const kept = denoiser.op('Mul', [
    denoiser.op('Tanh', [all]),
    denoiser.op('Unsqueeze', [denoiser.op('Cast', ['latent_mask'], { to: FLOAT }), denoiser.ints(2)]),
  ]);
  denoiser.node('Transpose', [kept], 'denoised_latents', { perm: [0, 2, 1] });
  denoiser.output('denoised_latents', FLOAT, ['batch_size', LATENT * FACTOR, 'frames']);

  const decoder = new RandomGraph(37);
  decoder.input('latents', FLOAT, ['batch_size', LATENT * FACTOR, 'frames']);
  const turned = decoder.op('Transpose', ['latents'], { perm: [0, 2, 1] });
  const made = decoder.op('Tanh', [decoder.product(turned, 'samples', [LATENT * FACTOR, CHUNK * FACTOR], 0.5)]);
  decoder.node('Reshape', [made, decoder.ints(1, -1)], 'waveform');
  decoder.output('waveform', FLOAT, ['batch_size', 'samples']);

  return {
    'config.json': {
      model_type: 'supertonic',
      architectures: ['SupertonicForConditionalGeneration'],
      sampling_rate: 24_000,
      style_dim: STYLE,
      latent_dim: LATENT,
      base_chunk_size: CHUNK,
      chunk_compress_factor: FACTOR,
    },
    'onnx/text_encoder.onnx': bytesOf(encoder),
    'onnx/latent_denoiser.onnx': bytesOf(denoiser),
    'onnx/voice_decoder.onnx': bytesOf(decoder),
    'voices/F1.bin': new Uint8Array(style.buffer),
  };
}

function bytesOf(graph: OnnxFile): Uint8Array<ArrayBuffer> {
  const pieces: ProtobufMessage = graph.toMessage();
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
