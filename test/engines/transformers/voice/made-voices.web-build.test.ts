/** Synthesisers with random weights, in the structure of published exports, against transformers.js itself. */
import { AutoTokenizer, type PreTrainedTokenizer, StyleTextToSpeech2Model, Tensor } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadVoiceModel } from '../../../../src/engines/transformers/voice/load-voice-model.js';
import { FLOAT, INT64 } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { bytesOf, bytesOfFloats, expectSame, floats, load, speak } from './support/made-voice.js';

afterEach(() => void vi.unstubAllGlobals());

describe('StyleTTS 2', () => {
  const WIDTH = 4;

  /** Each token is a few samples of its id, of the style and of the speed. */
  function graph(): RandomGraph {
    const made = new RandomGraph(5);
    made.input('input_ids', INT64, ['batch_size', 'tokens']);
    made.input('style', FLOAT, ['batch_size', WIDTH]);
    made.input('speed', FLOAT, [1]);
    const table = made.weights('table', [16, WIDTH], 1);
    const styled = made.op('Mul', [made.op('Gather', [table, 'input_ids'], { axis: 0 }), 'style']);
    const samples = made.op('Tanh', [made.op('Div', [made.product(styled, 'samples', [WIDTH, 40]), 'speed'])]);
    made.node('Reshape', [samples, made.ints(1, -1)], 'waveform');
    made.output('waveform', FLOAT, ['batch_size', 'samples']);
    return made;
  }

  const rows = floats(3 * WIDTH, (at) => Math.sin(at + 1));
  const files = {
    'config.json': { model_type: 'style_text_to_speech_2', architectures: ['StyleTextToSpeech2Model'] },
    'onnx/model.onnx': bytesOf(graph()),
    'voices/af_heart.bin': bytesOfFloats(rows),
    'voices/bf_emma.bin': bytesOfFloats(rows.slice(0, WIDTH)),
  };
  /** Says the colours of a flag, and notes what it was asked. */
  const moduleOf = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const phonemizer = moduleOf(`
    export async function phonemize(text, language) {
      (globalThis.asked ??= []).push([text, language]);
      return [text.toLowerCase().replace('or', 'gold').replace('canard', 'teal')];
    }`);
  const asked = () => (globalThis as { asked?: unknown[] }).asked?.splice(0);

  it('[V02] gives the samples of the model for the phonemes and the style of their number', async () => {
    const model = await load('kokoro', files, { phonemizer });
    expect(model.info.voices).toEqual([
      { id: 'af_heart', name: 'af_heart', language: 'en-US' },
      { id: 'bf_emma', name: 'bf_emma', language: 'en-GB' },
    ]);
    const library = await StyleTextToSpeech2Model.from_pretrained('/models/kokoro', { dtype: 'fp32', device: 'wasm' });
    const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained('/models/kokoro');
    for (const [voice, words, row, speed] of [
      ['af_heart', 'gold', 1, 1],
      ['af_heart', 'gold teal', 2, 2],
      ['af_heart', 'gold teal pink gold', 2, 1],
      ['bf_emma', 'gold teal', 0, 0.5],
    ] as const) {
      const inputs = {
        ...(tokenizer(words) as object),
        style: new Tensor('float32', rows.slice(row * WIDTH, (row + 1) * WIDTH), [1, WIDTH]),
        speed: new Tensor('float32', [speed], [1]),
      };
      const { waveform } = (await library(inputs)) as { waveform: Tensor };
      const input = words.replace('gold', 'Or').replace('teal', 'canard');
      expectSame(await speak(model, { input, voice, speed }), waveform.data as Float32Array);
      const language = voice === 'bf_emma' ? 'en' : 'en-us';
      // Once for the sound, once to count.
      expect(asked()).toEqual([
        [input, language],
        [input, language],
      ]);
    }
    await speak(model, { input: 'Or, 3 canard!' });
    expect(asked()?.slice(0, 2)).toEqual([
      ['Or', 'en-us'],
      ['three canard', 'en-us'],
    ]);
    await model.unload();
  });

  it('is refused before any weight where no phonemizer is named, and by what is wrong with one', async () => {
    const { fetch } = modelServer({ dumb: files });
    const seen: string[] = [];
    const entry = {
      id: 'dumb',
      task: 'text-to-speech',
      backend: 'transformers',
      source: '/models/dumb',
      dtype: 'fp32',
    } as const;
    vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => (seen.push(url), fetch(url, init)));
    await expect(loadVoiceModel(entry, LOAD)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: /`phonemizer`/,
    });
    expect(seen.filter((url) => url.endsWith('.onnx'))).toEqual([]);
    await expect(load('no-export', files, { phonemizer: moduleOf('export const x = 1;') })).rejects.toMatchObject({
      code: 'model_not_supported',
      message: /exports no function `phonemize`/,
    });
    await expect(load('no-module', files, { phonemizer: moduleOf('throw new Error()') })).rejects.toMatchObject({
      code: 'unavailable',
    });
    const model = await load('no-text', files, { phonemizer: moduleOf('export const phonemize = () => 5;') });
    await expect(speak(model)).rejects.toMatchObject({ code: 'internal', message: /gave no text/ });
    await model.unload();
  });
});
