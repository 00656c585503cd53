/** Models in the structure of StyleTTS 2 (Kokoro, Kitten): one graph from phonemes and a style to samples. @module */
import { throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { Voice } from '../../../../core/request/speech-request.js';
import type { Delivery } from '../../../voice/voice-engine.js';
import { createTensor, type OnnxSession, toFloat32 } from '../text/onnx-session.js';
import type { VoiceGraphs } from './voice-graphs.js';
import { fittingStyles, type VoiceStyle } from './voice-styles.js';

/** Numbers of a style, where the graph does not say it. */
const WIDTH = 256;

/** Tokens that begin and end a sentence: a voice has a style for each length between them. */
const FRAME = 2;

export class StyleTtsGraph implements VoiceGraphs {
  readonly sampleRate: number;
  readonly voices: readonly Voice[];
  readonly #session: OnnxSession;
  readonly #width: number;
  readonly #styles: ReadonlyMap<string, Float32Array>;

  /** @throws InferenceError `model_not_supported` without voices that fit */
  constructor(session: OnnxSession, sampleRate: number, styles: readonly VoiceStyle[]) {
    const width = session.inputMetadata.find(({ name }) => name === 'style')?.shape.at(-1);
    this.#width = typeof width === 'number' ? width : WIDTH;
    const fitting = fittingStyles(styles, this.#width);
    this.sampleRate = sampleRate;
    this.voices = fitting.map(({ voice }) => ({ ...voice, language: languageOf(voice.id)?.tag ?? null }));
    this.#session = session;
    this.#styles = new Map(fitting.map(({ voice, style }) => [voice.id, style]));
  }

  async speak(ids: readonly number[], { voice, speed }: Delivery, signal: AbortSignal): Promise<Float32Array> {
    const styles = this.#styles.get(voice)!;
    const row = Math.min(Math.max(ids.length - FRAME, 0), styles.length / this.#width - 1);
    const results = await this.#session.run({
      input_ids: createTensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      style: createTensor('float32', styles.slice(row * this.#width, (row + 1) * this.#width), [1, this.#width]),
      speed: createTensor('float32', Float32Array.of(speed), [1]),
    });
    try {
      throwIfCancelled(signal);
      return toFloat32(await results['waveform']!.getData()).slice();
    } finally {
      for (const tensor of Object.values(results)) tensor.dispose();
    }
  }
}

/** A language, as BCP 47 and as espeak name it. */
interface SpokenLanguage {
  tag: string;
  espeak: string;
}

/** By the first letter of Kokoro's names of voices; the second one is the sex. */
const LANGUAGES: Readonly<Record<string, SpokenLanguage>> = {
  a: { tag: 'en-US', espeak: 'en-us' },
  b: { tag: 'en-GB', espeak: 'en' },
  e: { tag: 'es', espeak: 'es' },
  f: { tag: 'fr', espeak: 'fr-fr' },
  h: { tag: 'hi', espeak: 'hi' },
  i: { tag: 'it', espeak: 'it' },
  j: { tag: 'ja', espeak: 'ja' },
  p: { tag: 'pt-BR', espeak: 'pt-br' },
  z: { tag: 'zh', espeak: 'cmn' },
};

function languageOf(voice: string): SpokenLanguage | undefined {
  return /^[a-z][fm]_/.test(voice) ? LANGUAGES[voice[0]!] : undefined;
}

/** The language in which a voice reads, in espeak's words; voices that do not say it are American. */
export function espeakLanguage(voice: string): string {
  return (languageOf(voice) ?? LANGUAGES['a']!).espeak;
}
