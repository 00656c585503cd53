/** SpeechT5 models: text encoder, decoder of a spectrogram, vocoder; a voice is the embedding of a speaker. @module */
import { throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { Voice } from '../../../../core/request/speech-request.js';
import { stretchTime } from '../../../voice/stretch-time.js';
import type { Delivery } from '../../../voice/voice-engine.js';
import { emptyCache } from '../speech/encoder-decoder.js';
import { createTensor, type OnnxSession, type OnnxTensor, toFloat32 } from '../ort/onnx-session.js';
import type { VoiceGraphs } from './voice-graphs.js';
import { selectStyles, type VoiceStyle } from './voice-styles.js';

/** The sound ends with a step whose probability of being the last one is as high … */
const LAST = 0.5;

/** … or after so many steps for each of the encoder's states: both as in transformers.js. */
const MAX_STEPS = 20;

/** The fields of the config that are read. */
export interface SpeechT5Config {
  num_mel_bins?: number;
  reduction_factor?: number;
  speaker_embedding_dim?: number;
}

const PAST = 'past_key_values.';

export class SpeechT5Graphs implements VoiceGraphs {
  readonly voices: readonly Voice[];
  readonly #sessions: Readonly<Record<string, OnnxSession>>;
  readonly #bands: number;
  readonly #stepFrames: number;
  readonly #speakers: ReadonlyMap<string, OnnxTensor>;

  /** @throws InferenceError `model_not_supported` without voices that fit */
  constructor(
    sessions: Readonly<Record<string, OnnxSession>>,
    config: SpeechT5Config,
    { styles, sampleRate }: { styles: readonly VoiceStyle[]; sampleRate: number },
  ) {
    const width = config.speaker_embedding_dim ?? 512;
    const fitting = selectStyles(styles, width);
    this.sampleRate = sampleRate;
    this.voices = fitting.map(({ voice }) => voice);
    this.#sessions = sessions;
    this.#bands = config.num_mel_bins ?? 80;
    this.#stepFrames = config.reduction_factor ?? 2;
    this.#speakers = new Map(
      fitting.map(({ voice, style }) => [voice.id, createTensor('float32', style.subarray(0, width), [1, width])]),
    );
  }

  readonly sampleRate: number;

  async speak(ids: readonly number[], { voice, speed }: Delivery, signal: AbortSignal): Promise<Float32Array> {
    const spectrogram = await this.#spectrogram(ids, voice, signal);
    const { waveform } = await this.#sessions['vocoder']!.run({ spectrogram });
    const samples = toFloat32(await waveform!.getData()).slice();
    waveform!.dispose();
    return stretchTime(samples, speed, this.sampleRate);
  }

  /** Step by step, as the decoder tells when it is done: `[frames, bands]`. */
  async #spectrogram(ids: readonly number[], voice: string, signal: AbortSignal): Promise<OnnxTensor> {
    const encoder = this.#sessions['model']!;
    const dims = [1, ids.length];
    const inputs = {
      input_ids: createTensor('int64', BigInt64Array.from(ids, BigInt), dims),
      attention_mask: createTensor('int64', new BigInt64Array(ids.length).fill(1n), dims),
    };
    const encoded = await encoder.run(knownTo(encoder, inputs));
    const decoder = this.#sessions['decoder_model_merged']!;
    const past = decoder.inputMetadata.filter(({ name }) => name.startsWith(PAST));
    const cache = new Map(past.map((info) => [info.name, emptyCache(info)]));
    const { encoder_outputs: states, encoder_attention_mask } = encoded;
    const most = Math.max(1, Math.floor((states!.dims[1]! / this.#stepFrames) * MAX_STEPS));
    const parts: Float32Array[] = [];
    let output_sequence = createTensor('float32', new Float32Array(this.#bands), [1, 1, this.#bands]);
    try {
      for (let isLast = false; !isLast;) {
        throwIfCancelled(signal);
        const feeds = {
          use_cache_branch: createTensor('bool', Uint8Array.of(parts.length > 0 ? 1 : 0), [1]),
          output_sequence,
          encoder_hidden_states: states!,
          ...(encoder_attention_mask && { encoder_attention_mask }),
          speaker_embeddings: this.#speakers.get(voice)!,
          ...Object.fromEntries(cache),
        };
        const results = await decoder.run(knownTo(decoder, feeds));
        for (const { name } of past) {
          const present = results[name.replace(PAST, 'present.')]!;
          // Keys and values of the text never change: they count from the first step.
          const isStale = parts.length > 0 && name.includes('.encoder.');
          (isStale ? present : cache.get(name)!).dispose();
          if (!isStale) cache.set(name, present);
        }
        parts.push(toFloat32(await results['spectrum']!.getData()).slice());
        const probabilities = toFloat32(await results['prob']!.getData());
        isLast = parts.length >= most || probabilities.some((probability) => probability >= LAST);
        output_sequence.dispose();
        output_sequence = results['output_sequence_out']!;
        results['spectrum']!.dispose();
        results['prob']!.dispose();
      }
    } finally {
      for (const tensor of [...cache.values(), ...Object.values(encoded), output_sequence]) tensor.dispose();
    }
    const frames = parts.reduce((sum, { length }) => sum + length, 0) / this.#bands;
    const whole = new Float32Array(frames * this.#bands);
    for (const [step, part] of parts.entries()) whole.set(part, step * parts[0]!.length);
    return createTensor('float32', whole, [frames, this.#bands]);
  }
}

function knownTo(session: OnnxSession, feeds: Readonly<Record<string, OnnxTensor>>): Record<string, OnnxTensor> {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => session.inputNames.includes(name)));
}
