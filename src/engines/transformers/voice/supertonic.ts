/** Supertonic models: text encoder, denoiser of latents and decoder; a voice is a file with its style. @module */
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { Voice } from '../../../core/request/speech-request.js';
import { createRandomNumbers } from '../../../language/sampling/random.js';
import type { Delivery } from '../../../sound/voice/voice-engine.js';
import { createTensor, type OnnxSession, type OnnxTensor, toFloat32 } from '../ort/onnx-session.js';
import { selectStyles, type VoiceStyle } from './voice-styles.js';
import { checkedRate, type VoiceGraphs } from './voice-graphs.js';

/** Steps of denoising, and the pace that sounds natural: those of transformers.js. */
const STEPS = 5;
const BASE_SPEED = 1.05;

/** The fields of the config that are read. */
export interface SupertonicConfig {
  sampling_rate: number;
  style_dim: number;
  latent_dim: number;
  base_chunk_size: number;
  chunk_compress_factor: number;
}

export class SupertonicGraphs implements VoiceGraphs {
  readonly sampleRate: number;
  readonly voices: readonly Voice[];
  readonly #sessions: Readonly<Record<string, OnnxSession>>;
  readonly #config: SupertonicConfig;
  readonly #styles: ReadonlyMap<string, OnnxTensor>;

  /** @throws InferenceError `model_not_supported` without voices that fit */
  constructor(
    sessions: Readonly<Record<string, OnnxSession>>,
    config: SupertonicConfig,
    styles: readonly VoiceStyle[],
  ) {
    const width = config.style_dim;
    const fitting = selectStyles(styles, width);
    this.sampleRate = checkedRate(config.sampling_rate);
    this.voices = fitting.map(({ voice }) => voice);
    this.#sessions = sessions;
    this.#config = config;
    this.#styles = new Map(
      fitting.map(({ voice, style }) => [voice.id, createTensor('float32', style, [1, style.length / width, width])]),
    );
  }

  async speak(ids: readonly number[], delivery: Delivery, signal: AbortSignal): Promise<Float32Array> {
    const { sampling_rate, base_chunk_size, chunk_compress_factor, latent_dim } = this.#config;
    const made: OnnxTensor[] = [];
    const run = async (name: string, feeds: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor>> => {
      const results = await this.#sessions[name]!.run(feeds);
      made.push(...Object.values(results));
      throwIfCancelled(signal);
      return results;
    };
    try {
      const style = this.#styles.get(delivery.voice)!;
      const attention_mask = createTensor('int64', new BigInt64Array(ids.length).fill(1n), [1, ids.length]);
      const input_ids = createTensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);
      const text = await run('text_encoder', { input_ids, attention_mask, style });
      const encoder_outputs = text['last_hidden_state']!;
      const [seconds = 0] = toFloat32(await text['durations']!.getData());
      const samples = (seconds / (BASE_SPEED * delivery.speed)) * sampling_rate;
      const frames = Math.max(1, Math.ceil(samples / (base_chunk_size * chunk_compress_factor)));
      const dims = [1, latent_dim * chunk_compress_factor, frames];
      const latent_mask = createTensor('int64', new BigInt64Array(frames).fill(1n), [1, frames]);
      const num_inference_steps = createTensor('float32', Float32Array.of(STEPS), [1]);
      let noisy_latents = createTensor('float32', gaussianNoise(dims[1]! * frames, delivery.seed), dims);
      for (let step = 0; step < STEPS; step++) {
        const timestep = createTensor('float32', Float32Array.of(step), [1]);
        const feeds = { style, noisy_latents, latent_mask, encoder_outputs, attention_mask, timestep };
        const results = await run('latent_denoiser', { ...feeds, num_inference_steps });
        noisy_latents = results['denoised_latents']!;
      }
      const { waveform } = await run('voice_decoder', { latents: noisy_latents });
      return toFloat32(await waveform!.getData()).slice(0, Math.ceil(samples));
    } finally {
      for (const tensor of made) tensor.dispose();
    }
  }
}

/** Normally distributed numbers, the same for the same seed (Box and Muller). */
export function gaussianNoise(length: number, seed: number): Float32Array {
  const random = createRandomNumbers(seed, 0);
  return Float32Array.from({ length }, () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
}
