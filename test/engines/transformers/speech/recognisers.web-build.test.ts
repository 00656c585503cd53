/** Recognisers of all kinds but Whisper, with random weights, against transformers.js's own pipeline. */
import { pipeline } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../../src/core/request/transcription-request.js';
import { joinBytes, wavHeader } from '../../../../src/core/media/pcm.js';
import { loadSpeechModel } from '../../../../src/engines/transformers/speech/load-speech-model.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { wordErrors } from './support/word-errors.js';
import { madeCohere, madeCtc, madeMoonshine, madeWhisper } from './support/made-recognisers.js';

afterEach(() => void vi.unstubAllGlobals());

const RATE = 16_000;

type Files = Record<string, unknown>;

async function load(name: string, files: Files): Promise<LoadedModel> {
  vi.stubGlobal('fetch', modelServer({ [name]: files }).fetch);
  vi.spyOn(console, 'warn').mockReturnValue();
  const entry = { id: name, task: 'speech-to-text', backend: 'transformers', source: `/models/${name}` } as const;
  return loadSpeechModel({ ...entry, dtype: 'fp32' }, LOAD);
}

/** What the library itself makes of the same files and samples. */
async function pipelineText(name: string, samples: Float32Array, options: object = {}): Promise<string> {
  const recognise = await pipeline('automatic-speech-recognition', `/models/${name}`, {
    dtype: 'fp32',
    device: 'wasm',
  });
  const { text } = (await recognise(samples, options)) as { text: string };
  await recognise.dispose();
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Noise of changing loudness, in the precision of 16 bits. */
function noise(seconds: number): Float32Array {
  let state = 12_345;
  return Float32Array.from({ length: Math.round(seconds * RATE) }, (_, at) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const loud = 0.3 + 0.2 * Math.sin(at / 3000);
    return Math.round((state / 2_147_483_648 - 0.5) * loud * 32_768) / 32_768;
  });
}

function wavOf(samples: Float32Array): Uint8Array {
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_768));
  return joinBytes([wavHeader(RATE, pcm.byteLength), new Uint8Array(pcm.buffer)]);
}

type Finish = Extract<TranscriptEvent, { type: 'finish' }>;

async function transcribe(
  model: LoadedModel,
  samples: Float32Array,
  options: Partial<TranscriptionRequest> = {},
  signal = LOAD.signal,
): Promise<Finish & { deltas: string[] }> {
  const plain = { model: 'made', task: 'transcribe', audio: { bytes: wavOf(samples) } } as const;
  const deltas: string[] = [];
  for await (const event of model.transcribe!({ ...plain, ...options }, signal)) {
    if (event.type === 'finish') return { ...event, deltas };
    deltas.push(event.text);
  }
  throw new Error('The transcript did not finish.');
}

describe.each([
  ['moonshine', madeMoonshine(), {}],
  ['cohere', madeCohere(), { language: 'fr' }],
] as const)('%s', (name, files, options) => {
  it('writes the tokens of the pipeline, and goes on window by window', async () => {
    const model = await load(name, files);
    const samples = noise(4);
    const heard = await transcribe(model, samples, { times: 'segments', ...options });
    expect(heard.text).toBe(await pipelineText(name, samples, options));
    expect(heard.completionTokens).toBeGreaterThan(20);
    expect(heard.deltas.join('')).toBe(heard.text);
    expect(heard.segments).toMatchObject([{ start: 0, end: 4, text: heard.text }]);
    expect(new Set(heard.segments![0]!.tokens).size).toBeGreaterThan(8);

    const long = await transcribe(model, noise(45), { times: 'segments' });
    expect(long.segments!.length).toBe(2);
    expect(long.segments![1]!.start).toBe(long.segments![0]!.end);
    expect(long.segments!.map(({ text }) => text).join(' ')).toBe(long.text);
    await model.unload();
  });

  it('refuses what it cannot do, stops when it is cancelled, and is free afterwards', async () => {
    const model = await load(name, files);
    const samples = noise(2);
    await expect(transcribe(model, samples, { task: 'translate' })).rejects.toMatchObject({
      code: 'model_not_supported',
    });
    await expect(transcribe(model, samples, { times: 'words' })).rejects.toMatchObject({
      param: 'timestamp_granularities',
    });
    const controller = new AbortController();
    const request = { model: 'made', task: 'transcribe', audio: { bytes: wavOf(samples) } } as const;
    const seen: string[] = [];
    const listening = (async () => {
      for await (const { type } of model.transcribe!(request, controller.signal))
        if (seen.push(type) === 2) controller.abort();
    })();
    await expect(listening).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toHaveLength(2);
    expect((await transcribe(model, new Float32Array(RATE))).text).toBe('');
    await model.unload();
  });
});

describe.each([
  ['large-v3-turbo', { bands: 128, multilingual: true }, { language: 'de', task: 'transcribe' }],
  ['distil-whisper', { bands: 80, multilingual: false }, {}],
] as const)('%s', (name, shape, options) => {
  it('writes the tokens of the pipeline', async () => {
    const model = await load(name, madeWhisper(shape));
    const samples = noise(2);
    const heard = await transcribe(model, samples, { language: 'de' });
    expect(heard.text).toBe(await pipelineText(name, samples, options));
    expect(new Set(heard.text.split('x')).size).toBeGreaterThan(4);
    await model.unload();
  });
});

it('cohere: an unknown language is no hint', async () => {
  const model = await load('cohere-language', madeCohere());
  for (const [language, used] of [
    ['fr', 'fr'],
    ['haw', 'en'],
  ] as const) {
    expect((await transcribe(model, noise(1), { language })).language).toBe(used);
  }
  await model.unload();
});

describe.each([
  ['wav2vec2', 'Wav2Vec2ForCTC', 'waveform', 0.02],
  ['hubert', 'HubertForCTC', 'waveform', 0.02],
  ['unispeech', 'UniSpeechForCTC', 'waveform', 0.02],
  ['unispeech-sat', 'UniSpeechSatForCTC', 'waveform', 0.02],
  ['wav2vec2-bert', 'Wav2Vec2BertForCTC', 'spectrogram', 0.02],
  ['parakeet_ctc', 'ParakeetForCTC', 'parakeet', 0.08],
] as const)('%s', (type, architecture, input, frame) => {
  const files = madeCtc(type, architecture, input);
  const name = `ctc-${type}`;

  it('[G02] writes the tokens of the pipeline, each where it was said', async () => {
    const model = await load(name, files);
    const samples = noise(5);
    const heard = await transcribe(model, samples, { times: 'words' });
    expect(heard.text).toBe(await pipelineText(name, samples));
    expect(heard.completionTokens).toBeGreaterThan(10);
    expect(heard.words!.map(({ text }) => text).join(' ')).toBe(heard.text);
    expect(heard.segments!.map(({ text }) => text).join(' ')).toBe(heard.text);
    let at = 0;
    for (const { start, end } of heard.words!) {
      expect(start).toBeGreaterThanOrEqual(at);
      expect(end).toBeGreaterThanOrEqual(start + frame - 0.001);
      expect(Math.round(start / frame) * frame).toBeCloseTo(start, 2);
      at = end;
    }
    expect(at).toBeLessThanOrEqual(5.1);
    await model.unload();
  });
});

describe.each([
  ['wav2vec2', 'Wav2Vec2ForCTC', 'waveform'],
  ['wav2vec2-bert', 'Wav2Vec2BertForCTC', 'spectrogram'],
  ['parakeet_ctc', 'ParakeetForCTC', 'parakeet'],
] as const)('%s', (type, architecture, input) => {
  it('hears what lasts longer than a window as if it were one', async () => {
    const model = await load(`long-${type}`, madeCtc(type, architecture, input));
    const samples = noise(42);
    const heard = await transcribe(model, samples);
    expect(heard.deltas.length).toBe(2);
    expect(heard.deltas.join('')).toBe(heard.text);
    const letters = (text: string): string => Array.from(text).join(' ');
    // Loudness is levelled over each window, so a few tokens differ.
    const { errors, words } = wordErrors(letters(await pipelineText(`long-${type}`, samples)), letters(heard.text));
    expect(errors / words).toBeLessThan(0.05);
    expect((await transcribe(model, noise(0.01))).text.length).toBeLessThan(30);
    await model.unload();
  });
});

it('WavLM, which the pipeline leaves out, is read like wav2vec 2.0', async () => {
  const texts: string[] = [];
  for (const [type, architecture] of [
    ['wavlm', 'WavLMForCTC'],
    ['wav2vec2', 'Wav2Vec2ForCTC'],
  ] as const) {
    const model = await load(`like-${type}`, madeCtc(type, architecture, 'waveform'));
    texts.push((await transcribe(model, noise(3))).text);
    await model.unload();
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]!.length).toBeGreaterThan(10);
});

it('an encoder with another head is refused by its name', async () => {
  const files = madeCtc('wav2vec2', 'Wav2Vec2ForSequenceClassification', 'waveform');
  await expect(load('sorts-sounds', files)).rejects.toMatchObject({
    code: 'model_not_supported',
    message: expect.stringContaining('`Wav2Vec2ForSequenceClassification`'),
  });
});
