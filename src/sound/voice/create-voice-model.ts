/** Creates a loaded model from a voice engine: sentences, sampling rate, file format and counting. @module */
import type { LoadedModel, ModelInfo } from '../../core/models/backend.js';
import { InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import {
  SPEECH_RATE,
  type SpeechEvent,
  type SpeechRequest,
  OPENAI_VOICES,
  type Voice,
} from '../../core/request/speech-request.js';
import { openSpeechEncoder } from '../encode-audio.js';
import { createResampler } from '../resample-audio.js';
import { checkFinite } from '../../core/errors/wrong-output.js';
import { isEnglish } from './spoken-english.js';
import { splitSentences } from './split-sentences.js';
import type { VoiceEngine } from './voice-engine.js';

/** Samples of a token of output: 40 ms. */
const TOKEN_SAMPLES = SPEECH_RATE * 0.04;

/** What the engine itself does not know. */
export interface VoiceModelOptions {
  info: Omit<ModelInfo, 'toolFormat' | 'reasoningFormat' | 'images' | 'voices'>;
  /** Resolves when the engine is lost. */
  lost?: Promise<InferenceError>;
  unload(): Promise<void>;
}

/**
 * Wraps an engine; only `speak` is there. It throws `invalid_request` for an unknown voice and a format that this browser
 * cannot encode before its first event, `cancelled` when its signal aborts.
 */
export function createVoiceModel(engine: VoiceEngine, options: VoiceModelOptions): LoadedModel {
  const { info, lost } = options;
  return {
    info: { ...info, toolFormat: 'none', reasoningFormat: 'none', images: false, voices: [...engine.voices] },
    lost: lost ?? new Promise(() => {}),
    speak: (request, signal) => speak(engine, request, signal),
    unload: () => options.unload(),
  };
}

async function* speak(
  engine: VoiceEngine,
  { input, voice: asked, format, speed, seed }: SpeechRequest,
  signal: AbortSignal,
): AsyncGenerator<SpeechEvent, void, undefined> {
  const voice = chooseVoice(engine.voices, asked);
  const encoder = await openSpeechEncoder(format);
  try {
    const resampler = createResampler(engine.sampleRate, SPEECH_RATE);
    const sentences = splitSentences(input);
    const english = isEnglish(input);
    let samples = 0;
    for (const [index, sentence] of sentences.entries()) {
      throwIfCancelled(signal);
      const spoken = await engine.speak(sentence, { voice, speed, seed: seed + index, english }, signal);
      throwIfCancelled(signal);
      checkFinite(spoken, 'the sound');
      const isLast = index === sentences.length - 1;
      const resampled = resampler.push(spoken);
      const pieces = isLast ? join(resampled, resampler.end()) : resampled;
      samples += pieces.length;
      yield { type: 'audio', bytes: await encoder.push(pieces, isLast) };
    }
    yield {
      type: 'finish',
      bytes: await encoder.end(),
      inputTokens: await engine.countTokens(input, voice),
      outputTokens: Math.ceil(samples / TOKEN_SAMPLES),
    };
  } finally {
    await encoder.close();
  }
}

function join(head: Float32Array, tail: Float32Array): Float32Array {
  const whole = new Float32Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** So many voices are named in an error. */
const NAMED = 50;

/**
 * A voice by its id. OpenAI's names, of which a model knows none, are spread over its voices, each always to the same.
 * @throws InferenceError `invalid_request` with param `voice`, which lists the model's
 */
function chooseVoice(voices: readonly Voice[], asked: string): string {
  const position = OPENAI_VOICES.indexOf(asked);
  const found = voices.find(({ id }) => id === asked) ?? (position < 0 ? undefined : voices[position % voices.length]);
  if (found) return found.id;
  const names = voices.slice(0, NAMED).map(({ id }) => `\`${id}\``);
  const message = `\`voice\` is not a voice of this model: it has ${names.join(', ')}. OpenAI's voice names work too.`;
  throw new InferenceError('invalid_request', message, { param: 'voice' });
}
