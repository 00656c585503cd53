/** Synthesisers with random weights, in the structure of published exports, against transformers.js itself. */
import {
  AutoTokenizer,
  type PreTrainedTokenizer,
  SpeechT5ForTextToSpeech,
  SpeechT5HifiGan,
  StyleTextToSpeech2Model,
  Tensor,
} from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadVoiceModel } from '../../../../../src/model/engines/transformers/voice/load-voice-model.js';
import { BOOL, FLOAT, INT64 } from '../../../../support/onnx-file.js';
import { RandomGraph } from '../../../../vision/random-graph.js';
import { choice } from '../speech/support/made-recognisers.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { bytesOf, bytesOfFloats, expectSame, floats, load, RATE, speak } from './support/made-voice.js';

afterEach(() => void vi.unstubAllGlobals());

describe('SpeechT5', () => {
  const [WIDTH, BANDS, SPEAKER, STEP_SAMPLES] = [8, 4, 6, 50];

  function encoder(): RandomGraph {
    const graph = new RandomGraph(3);
    graph.input('input_ids', INT64, ['batch_size', 'tokens']);
    const table = graph.weights('table', [16, WIDTH], 1);
    graph.node('Gather', [table, 'input_ids'], 'encoder_outputs', { axis: 0 });
    const ones = graph.op('Add', [graph.op('Mul', ['input_ids', graph.index(0)]), graph.index(1)]);
    graph.node('Identity', [ones], 'encoder_attention_mask');
    graph.output('encoder_outputs', FLOAT, ['batch_size', 'tokens', WIDTH]);
    graph.output('encoder_attention_mask', INT64, ['batch_size', 'tokens']);
    return graph;
  }

  /** Each step gives two frames, of the last frame, the speaker, what was before and the text; it ends with the seventh. */
  function decoder(): RandomGraph {
    const graph = new RandomGraph(9);
    graph.input('use_cache_branch', BOOL, [1]);
    graph.input('output_sequence', FLOAT, ['batch_size', 'steps', BANDS]);
    graph.input('encoder_hidden_states', FLOAT, ['batch_size', 'tokens', WIDTH]);
    graph.input('encoder_attention_mask', INT64, ['batch_size', 'tokens']);
    graph.input('speaker_embeddings', FLOAT, ['batch_size', SPEAKER]);
    const last = graph.op('Slice', ['output_sequence', graph.ints(-1), graph.ints(2 ** 31), graph.ints(1)]);
    const speaker = graph.op('Unsqueeze', [
      graph.product('speaker_embeddings', 'speaker', [SPEAKER, WIDTH]),
      graph.ints(1),
    ]);
    let hidden = graph.op('Tanh', [graph.op('Add', [graph.product(last, 'prenet', [BANDS, WIDTH], 2), speaker])]);
    const mask = graph.op('Unsqueeze', [graph.op('Cast', ['encoder_attention_mask'], { to: FLOAT }), graph.ints(2)]);
    const text = graph.op('Mul', ['encoder_hidden_states', mask]);
    const means: string[] = [];
    for (const part of ['key', 'value']) {
      for (const of of ['decoder', 'encoder']) {
        const name = `0.${of}.${part}`;
        const past = `past_key_values.${name}`;
        graph.input(past, FLOAT, ['batch_size', 1, `${of}_past`, WIDTH]);
        const own = graph.op('Unsqueeze', [
          graph.product(of === 'decoder' ? hidden : text, name, [WIDTH, WIDTH], 2),
          graph.ints(1),
        ]);
        const nothing = graph.constant('nothing', new Float32Array(0), [0, 1, 1, WIDTH]);
        const isSelf = of === 'decoder';
        const used = isSelf
          ? graph.op('Concat', [past, own], { axis: 2 })
          : choice(graph, 'use_cache_branch', past, own);
        graph.node('Identity', [isSelf ? used : choice(graph, 'use_cache_branch', nothing, own)], `present.${name}`);
        graph.output(`present.${name}`, FLOAT, ['batch_size', 1, `${of}_length`, WIDTH]);
        means.push(
          graph.op('Squeeze', [graph.op('ReduceMean', [used, graph.ints(2)], { keepdims: 1 }), graph.ints(1)]),
        );
      }
    }
    for (const mean of means) hidden = graph.op('Add', [hidden, mean]);
    const frames = graph.product(graph.op('Tanh', [hidden]), 'spectrum.wide', [WIDTH, 2 * BANDS], 1);
    graph.node('Reshape', [frames, graph.ints(2, BANDS)], 'spectrum');
    const newest = graph.reshape(
      graph.op('Slice', ['spectrum', graph.ints(-1), graph.ints(2 ** 31), graph.ints(0)]),
      1,
      1,
      BANDS,
    );
    graph.node('Concat', ['output_sequence', newest], 'output_sequence_out', { axis: 1 });
    const steps = graph.op('Gather', [graph.op('Shape', ['output_sequence']), graph.ints(1)], { axis: 0 });
    graph.node('Sigmoid', [graph.op('Sub', [graph.op('Cast', [steps], { to: FLOAT }), graph.number(6.5)])], 'prob');
    graph.output('spectrum', FLOAT, [2, BANDS]);
    graph.output('output_sequence_out', FLOAT, ['batch_size', 'more', BANDS]);
    graph.output('prob', FLOAT, [1]);
    return graph;
  }

  function vocoder(): RandomGraph {
    const graph = new RandomGraph(17);
    graph.input('spectrogram', FLOAT, ['frames', BANDS]);
    const samples = graph.op('Tanh', [graph.product('spectrogram', 'samples', [BANDS, STEP_SAMPLES], 0.5)]);
    graph.node('Reshape', [graph.op('Mul', [samples, graph.number(0.9)]), graph.ints(-1)], 'waveform');
    graph.output('waveform', FLOAT, ['samples']);
    return graph;
  }

  const speakers = { ann: floats(SPEAKER, (at) => Math.sin(at)), bob: floats(SPEAKER, (at) => Math.cos(at)) };
  const files = {
    'config.json': {
      model_type: 'speecht5',
      architectures: ['SpeechT5ForTextToSpeech'],
      is_encoder_decoder: true,
      hidden_size: WIDTH,
      decoder_layers: 1,
      decoder_attention_heads: 1,
      encoder_layers: 1,
      encoder_attention_heads: 1,
      num_mel_bins: BANDS,
      reduction_factor: 2,
      speaker_embedding_dim: SPEAKER,
    },
    'preprocessor_config.json': {
      feature_extractor_type: 'SpeechT5FeatureExtractor',
      processor_class: 'SpeechT5Processor',
      sampling_rate: RATE,
    },
    'onnx/encoder_model.onnx': bytesOf(encoder()),
    'onnx/decoder_model_merged.onnx': bytesOf(decoder()),
    'onnx/vocoder.onnx': bytesOf(vocoder()),
    'voices/ann.bin': bytesOfFloats(speakers.ann),
    'voices/bob.bin': bytesOfFloats(speakers.bob),
  };

  it('[V02] gives the samples of the pipeline in each voice, and ends when the decoder says so', async () => {
    const model = await load('speecht5', files, { voices: ['ann', 'bob', 'nobody'] });
    expect(model.info.voices?.map(({ id }) => id)).toEqual(['ann', 'bob']);
    const options = { dtype: 'fp32', device: 'wasm' } as const;
    // The library's pipeline of this version gives nothing for such a model; its class does.
    const library = (await SpeechT5ForTextToSpeech.from_pretrained(
      '/models/speecht5',
      options,
    )) as SpeechT5ForTextToSpeech;
    const vocoder = await SpeechT5HifiGan.from_pretrained('/models/speecht5', {
      ...options,
      model_file_name: 'vocoder',
    });
    const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained('/models/speecht5');
    const { input_ids: ids } = tokenizer('red green blue') as { input_ids: Tensor };
    for (const [voice, embedding] of Object.entries(speakers)) {
      const speaker = new Tensor('float32', embedding, [1, SPEAKER]);
      const { waveform } = await library.generate_speech(ids, speaker, { vocoder: vocoder as never });
      expect(waveform!.data).toHaveLength(7 * 2 * STEP_SAMPLES);
      expectSame(await speak(model, { voice }), waveform!.data as Float32Array);
    }
    expect(await speak(model, { speed: 2 })).toHaveLength(7 * STEP_SAMPLES);
    await expect(speak(model, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    await model.unload();
  });

  it('[V02] is refused without voices, and without its vocoder', async () => {
    await expect(load('speechless', files)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: /voices\/<name>\.bin/,
    });
    const { 'onnx/vocoder.onnx': _, ...silent } = files;
    await expect(load('silent', silent, { voices: ['ann'] })).rejects.toMatchObject({ message: /vocoder/ });
  });
});

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
