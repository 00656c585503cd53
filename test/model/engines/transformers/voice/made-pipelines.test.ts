/** VITS and Supertonic with random weights, in the structure of published exports, against transformers.js's own pipeline. */
import { random } from '@huggingface/transformers';
import { afterEach, expect, it, vi } from 'vitest';
import { FLOAT, INT64 } from '../../../../support/onnx-file.js';
import { RandomGraph } from '../../../../vision/random-graph.js';
import {
  bytesOf,
  bytesOfFloats,
  expectSame,
  floats,
  load,
  madeVits,
  pipelineSamples,
  RATE,
  speak,
} from './support/made-voice.js';

vi.mock('@huggingface/transformers', async () => (await import('../support/web-build.js')).webBuild());
afterEach(() => void vi.unstubAllGlobals());

/** Numbers that our noise becomes instead of its own, as long as there are any. */
const draws = vi.hoisted((): number[] => []);

vi.mock('../../../../../src/model/sampling/random.js', async (original) => {
  const actual = await original<typeof import('../../../../../src/model/sampling/random.js')>();
  return {
    ...actual,
    createRandomNumbers(seed: number, stream: number) {
      if (draws.length === 0) return actual.createRandomNumbers(seed, stream);
      // What Box and Muller make that normal number of: a radius, then an angle that is its sign.
      const pairs = draws.flatMap((draw) => [1 - Math.exp((-draw * draw) / 2), draw < 0 ? 0.5 : 0]).values();
      return () => pairs.next().value!;
    },
  };
});

it('[V02] VITS: gives the samples of the pipeline', async () => {
  const model = await load('vits', madeVits());
  expectSame(await speak(model), await pipelineSamples('vits'));
  await model.unload();
});

it('[V02] [V08] Supertonic: gives the samples of the pipeline from the same noise', async () => {
  const [STYLE, WIDTH, LATENT, CHUNK, FACTOR] = [4, 8, 6, 5, 2];
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
  encoder.node('Mul', [loud, encoder.number(0.02)], 'durations');
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
  const mixed = denoiser.product(frames, 'mixed', [LATENT * FACTOR, LATENT * FACTOR]);
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

  const style = floats(3 * STYLE, (at) => Math.cos(at));
  const model = await load('supertonic', {
    'config.json': {
      model_type: 'supertonic',
      architectures: ['SupertonicForConditionalGeneration'],
      sampling_rate: RATE,
      style_dim: STYLE,
      latent_dim: LATENT,
      base_chunk_size: CHUNK,
      chunk_compress_factor: FACTOR,
    },
    'onnx/text_encoder.onnx': bytesOf(encoder),
    'onnx/latent_denoiser.onnx': bytesOf(denoiser),
    'onnx/voice_decoder.onnx': bytesOf(decoder),
    'voices/F1.bin': bytesOfFloats(style),
  });
  random.seed(42);
  draws.push(...Array.from({ length: 2 ** 14 }, () => random.gauss()));
  random.seed(42);
  const samples = await pipelineSamples('supertonic', { speaker_embeddings: style });
  expectSame(await speak(model), samples);
  draws.length = 0;
  expect(await speak(model, { seed: 8 })).not.toEqual(await speak(model, { seed: 7 }));
  await model.unload();
});
