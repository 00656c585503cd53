/** Repositories of synthesisers whose graphs answer with what they were fed. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import type { SpeechRequest } from '../../../../src/core/request/speech-request.js';
import { loadVoiceModel } from '../../../../src/engines/transformers/voice/load-voice-model.js';
import { gaussianNoise } from '../../../../src/engines/transformers/voice/supertonic.js';
import { FLOAT, INT64, OnnxFile } from '../../../support/onnx-file.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { wordTokenizer } from '../support/word-tokenizer.js';

afterEach(() => void vi.unstubAllGlobals());

const RATE = 24_000;
/** `[CLS] red green [SEP]`. */
const TEXT = 'red green';
const IDS = [1, 4, 5, 2];
const bytesOf = (graph: OnnxFile) => Buffer.concat(graph.toMessage());

async function load(files: Record<string, unknown>): Promise<LoadedModel> {
  const repository = { ...wordTokenizer(['red', 'green']), ...files };
  vi.stubGlobal('fetch', modelServer({ made: repository }).fetch);
  vi.spyOn(console, 'warn').mockReturnValue();
  const entry = { id: 'made', task: 'text-to-speech', backend: 'transformers', source: '/models/made' } as const;
  return loadVoiceModel({ ...entry, dtype: 'fp32' }, LOAD);
}

/** The samples of an answer, -1 to 1, and what it counted. */
async function speak(model: LoadedModel, changes: Partial<SpeechRequest> = {}, signal = LOAD.signal) {
  const plain = { model: 'made', input: TEXT, voice: 'alloy', format: 'pcm', speed: 1, seed: 0 } as const;
  const pieces: Uint8Array[] = [];
  let tokens: number | undefined;
  for await (const event of model.speak!({ ...plain, ...changes }, signal)) {
    pieces.push(event.bytes);
    if (event.type === 'finish') tokens = event.inputTokens;
  }
  const bytes = Buffer.concat(pieces);
  const samples = Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_767);
  return { samples, tokens };
}

describe('VITS', () => {
  /** Each token is so many samples of a hundredth of its id. */
  const EACH = 1000;

  function graph(...others: string[]): OnnxFile {
    const file = new OnnxFile();
    for (const name of ['input_ids', 'attention_mask', ...others]) file.input(name, INT64, ['batch', 'tokens']);
    file.node('Cast', ['input_ids'], 'numbers', { to: FLOAT });
    file.node('Unsqueeze', ['numbers', file.constant('last', BigInt64Array.of(-1n))], 'column');
    file.node('Mul', ['column', file.constant('hundredths', new Float32Array(EACH).fill(0.01), [1, 1, EACH])], 'wide');
    file.node('Reshape', ['wide', file.constant('flat', BigInt64Array.of(1n, -1n))], 'waveform');
    file.output('waveform', FLOAT, ['batch', 'samples']);
    return file;
  }
  const config = { model_type: 'vits', architectures: ['VitsModel'], sampling_rate: RATE };
  const files = (made = graph()) => ({ 'config.json': config, 'onnx/model.onnx': bytesOf(made) });

  it('[V02] has one voice, and gives the samples of its graph', async () => {
    const model = await load(files());
    expect(model.info.voices).toEqual([{ id: 'default', name: 'default', language: null }]);
    for (const voice of ['default', 'alloy', 'cedar']) {
      const { samples, tokens } = await speak(model, { voice });
      expect([samples.length, tokens]).toEqual([IDS.length * EACH, IDS.length]);
      for (const [at, id] of IDS.entries()) expect(samples[at * EACH + EACH / 2]).toBeCloseTo(id / 100, 4);
    }
    await expect(speak(model, { voice: 'bass' })).rejects.toThrow(/`default`/);
    await model.unload();
  });

  it('[V05] is stretched to the length that the speed asks for', async () => {
    const model = await load(files());
    for (const speed of [0.25, 0.5, 2, 4]) {
      expect((await speak(model, { speed })).samples).toHaveLength((IDS.length * EACH) / speed);
    }
    await model.unload();
  });

  it('[V08] says that its graph draws the noise', async () => {
    const model = await load(files());
    expect(model.info.warning).toMatch(/generates its own noise/);
    await model.unload();
  });

  it('[V14] what cannot be spoken is a pause', async () => {
    const model = await load(files());
    for (const input of ['😀', '\u{0}\u{1b}', '\uD800', '   ', '...', '🇩🇪👩‍👩‍👧']) {
      const { samples } = await speak(model, { input });
      expect([input, new Set(samples).size, samples.length]).toEqual([input, 1, 7200]);
    }
    await expect(speak(model, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    await model.unload();
  });

  it('[V02] a graph that asks for a speaker is refused by name', async () => {
    await expect(load(files(graph('speaker_id')))).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringContaining('`speaker_id`'),
    });
  });
});

describe('Supertonic', () => {
  const config = {
    model_type: 'supertonic',
    architectures: ['SupertonicForConditionalGeneration'],
    sampling_rate: RATE,
    style_dim: 2,
    latent_dim: 4,
    base_chunk_size: 4,
    chunk_compress_factor: 2,
  };
  /** Numbers of a frame of the latents, and its samples. */
  const FRAME = 8;

  /** As many seconds as a thousandth of the sum of its ids. */
  function encoder(): OnnxFile {
    const file = new OnnxFile();
    for (const name of ['input_ids', 'attention_mask']) file.input(name, INT64, ['batch', 'tokens']);
    file.input('style', FLOAT, ['batch', 'rows', 2]);
    file.node('Cast', ['input_ids'], 'numbers', { to: FLOAT });
    file.node('Unsqueeze', ['numbers', file.constant('last', BigInt64Array.of(-1n))], 'last_hidden_state');
    file.node('ReduceSum', ['numbers', 'last'], 'sum', { keepdims: 0 });
    file.node('Mul', ['sum', file.constant('thousandth', Float32Array.of(0.001))], 'durations');
    file.output('last_hidden_state', FLOAT, ['batch', 'tokens', 1]);
    file.output('durations', FLOAT, ['batch']);
    return file;
  }

  /** Half of the noise, and of the style's mean a hundredth. */
  function denoiser(): OnnxFile {
    const file = new OnnxFile();
    file.input('style', FLOAT, ['batch', 'rows', 2]);
    file.input('noisy_latents', FLOAT, ['batch', FRAME, 'frames']);
    file.input('latent_mask', INT64, ['batch', 'frames']);
    file.input('encoder_outputs', FLOAT, ['batch', 'tokens', 1]);
    file.input('attention_mask', INT64, ['batch', 'tokens']);
    file.input('timestep', FLOAT, ['batch']);
    file.input('num_inference_steps', FLOAT, ['batch']);
    file.node('Mul', ['noisy_latents', file.constant('half', Float32Array.of(0.5))], 'halved');
    file.node('ReduceMean', ['style'], 'mean', { keepdims: 0 });
    file.node('Add', ['halved', 'mean'], 'denoised_latents');
    file.output('denoised_latents', FLOAT, ['batch', FRAME, 'frames']);
    return file;
  }

  function decoder(): OnnxFile {
    const file = new OnnxFile();
    file.input('latents', FLOAT, ['batch', FRAME, 'frames']);
    file.node('Transpose', ['latents'], 'frames_first', { perm: [0, 2, 1] });
    file.node('Reshape', ['frames_first', file.constant('flat', BigInt64Array.of(1n, -1n))], 'waveform');
    file.output('waveform', FLOAT, ['batch', 'samples']);
    return file;
  }

  const styleOf = (mean: number) => new Uint8Array(new Float32Array(6).fill(mean).buffer);
  const files = {
    'config.json': config,
    'onnx/text_encoder.onnx': bytesOf(encoder()),
    'onnx/latent_denoiser.onnx': bytesOf(denoiser()),
    'onnx/voice_decoder.onnx': bytesOf(decoder()),
    'voices/F1.bin': styleOf(0),
    'voices/M2.bin': styleOf(0.1),
  };
  const seconds = IDS.reduce((sum, id) => sum + id, 0) / 1000;

  /** What the graphs make of the noise of a seed. */
  function expected(seed: number, mean: number): number[] {
    const samples = (seconds / 1.05) * RATE;
    const frames = Math.ceil(samples / FRAME);
    let latents = gaussianNoise(frames * FRAME, seed);
    for (let step = 0; step < 5; step++) latents = latents.map((value) => value / 2 + mean);
    return Array.from(
      { length: Math.ceil(samples) },
      (_, at) => latents[(at % FRAME) * frames + Math.floor(at / FRAME)]!,
    );
  }

  it('[V02] [V08] its voices are its files, its noise is that of the seed', async () => {
    const model = await load(files);
    expect(model.info.voices?.map(({ id }) => id)).toEqual(['F1', 'M2']);
    expect(model.info.warning).toBeUndefined();
    for (const [voice, mean] of [
      ['F1', 0],
      ['M2', 0.1],
    ] as const) {
      for (const seed of [0, 7]) {
        const { samples } = await speak(model, { voice, seed });
        const wanted = expected(seed, mean);
        expect(samples).toHaveLength(wanted.length);
        for (const [at, value] of wanted.entries()) expect(samples[at]).toBeCloseTo(value, 3);
        expect((await speak(model, { voice, seed })).samples).toEqual(samples);
      }
    }
    expect((await speak(model, { seed: 1 })).samples).not.toEqual((await speak(model, { seed: 2 })).samples);
    await model.unload();
  });

  it('[V05] speaks faster by itself', async () => {
    const model = await load(files);
    const { samples } = await speak(model, { speed: 2 });
    expect(samples).toHaveLength(Math.ceil((seconds / 2.1) * RATE));
    await model.unload();
  });

  it('[V02] is refused without voices', async () => {
    const { 'voices/F1.bin': _, 'voices/M2.bin': __, ...rest } = files;
    await expect(load(rest)).rejects.toMatchObject({ code: 'model_not_supported', message: /no voices/ });
  });
});

it('synthesisers of other kinds are refused by name', async () => {
  await expect(load({ 'config.json': { model_type: 'musicgen' } })).rejects.toMatchObject({
    code: 'model_not_supported',
    message: expect.stringContaining('`musicgen`'),
  });
});
