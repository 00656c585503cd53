/** Recognisers whose decoder writes nothing but text (Moonshine, Cohere ASR): windows, and the most likely token each time. @module */
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type {
  TranscriptEvent,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../../core/request/transcription-request.js';
import type { OnnxTensor } from '../ort/onnx-session.js';
import { UNSPACED_LANGUAGES } from '../../../core/media/unspaced-languages.js';
import { rounded } from './align-words.js';
import { type TokenChoice, chooseToken, isLooping } from './choose-token.js';
import { cutWindows } from './cut-windows.js';
import type { EncodedSound, EncoderDecoder } from './encoder-decoder.js';
import type { Recogniser } from './recogniser.js';
import type { TextDecoder } from './decode-window.js';
import { TranscriptText } from './transcript.js';

/** What tells one such model from another. */
export interface SequenceModel {
  /** Hz. */
  sampleRate: number;
  /** The longest sound that it was trained on, in samples. */
  windowSamples: number;
  /** Tokens of one window, with those that it begins with. */
  maxTokens: number;
  endTokens: ReadonlySet<number>;
  /** A window of sound as the encoder's inputs, by name. */
  features(samples: Float32Array): Promise<Record<string, OnnxTensor>>;
  /** The tokens before the transcript. @param language ISO-639-1, which the model may not know */
  begin(language: string | undefined): { tokens: readonly number[]; language: string | undefined };
  /** How many tokens so many samples can be: what goes on behind them repeats itself. */
  mostTokens(samples: number): number;
  tokenizer: TextDecoder;
}

const NOTHING: ReadonlySet<number> = new Set();

export function createSequenceRecogniser(model: SequenceModel, sessions: EncoderDecoder): Recogniser {
  return {
    sampleRate: model.sampleRate,
    contextLength: model.maxTokens,
    translates: false,
    timesWords: false,
    transcribe: (samples, request, signal) => transcribe(model, sessions, { samples, request, signal }),
  };
}

interface SequenceRun {
  samples: Float32Array;
  request: TranscriptionRequest;
  signal: AbortSignal;
}

async function* transcribe(
  model: SequenceModel,
  sessions: EncoderDecoder,
  { samples, request, signal }: SequenceRun,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const transcript = new TranscriptText(model.tokenizer);
  const segments: TranscriptSegment[] = [];
  const usage = { promptTokens: 0, completionTokens: 0 };
  const { tokens: prefix, language } = model.begin(request.language);
  for (const { start, end } of cutWindows(samples, model.sampleRate, model.windowSamples)) {
    await checkpoint(signal);
    const sound = await sessions.encode(await model.features(samples.subarray(start, end)));
    const written: TokenChoice[] = [];
    const before = transcript.text.length;
    usage.promptTokens += prefix.length;
    try {
      const most = Math.min(model.maxTokens - prefix.length, model.mostTokens(end - start));
      for await (const choice of decode(model, sessions, { sound, prefix, most, signal })) {
        written.push(choice);
        const text = transcript.push(choice.token);
        if (text !== '') yield { type: 'delta', text };
      }
    } finally {
      sound.dispose();
    }
    transcript.endWindow(UNSPACED_LANGUAGES.has(language ?? '') ? '' : ' ');
    usage.completionTokens += written.length;
    const text = transcript.text.slice(before).trim();
    if (text === '') continue;
    segments.push({
      start: rounded(start / model.sampleRate),
      end: rounded(end / model.sampleRate),
      text,
      tokens: written.map(({ token }) => token),
      averageLogprob: written.reduce((sum, { logprob }) => sum + logprob, 0) / written.length,
      // These models do not say it.
      noSpeechProbability: 0,
    });
  }
  yield {
    type: 'finish',
    text: transcript.text,
    language,
    durationSeconds: samples.length / model.sampleRate,
    ...usage,
    ...(request.times && { segments }),
  };
}

interface WindowRun {
  sound: EncodedSound;
  prefix: readonly number[];
  /** Tokens at most. */
  most: number;
  signal: AbortSignal;
}

/** The tokens of a window, without the one that ends it. */
async function* decode(
  { endTokens }: SequenceModel,
  sessions: EncoderDecoder,
  { sound, prefix, most, signal }: WindowRun,
): AsyncGenerator<TokenChoice, void, undefined> {
  const decoding = await sessions.start(sound, prefix);
  const written: number[] = [];
  try {
    while (written.length < most) {
      const logits = decoding.logits();
      const choice = chooseToken(logits, logits.length, NOTHING);
      if (endTokens.has(choice.token)) return;
      written.push(choice.token);
      yield choice;
      if (isLooping(written)) return;
      await checkpoint(signal);
      if (written.length < most) await decoding.append(choice.token);
    }
  } finally {
    decoding.close();
  }
}

/** Lets abort messages arrive between computations. */
async function checkpoint(signal: AbortSignal): Promise<void> {
  await yieldToEventLoop();
  throwIfCancelled(signal);
}
