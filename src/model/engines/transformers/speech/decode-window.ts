/** Decodes one window of sound into tokens. @module */
import { throwIfCancelled } from '../../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../../core/platform/yield-to-event-loop.js';
import type { TranscriptionRequest } from '../../../../core/request/transcription-request.js';
import type { AttentionRow } from './align-words.js';
import { type Choice, chooseTimedToken, chooseToken, isLooping, probabilityOf } from './choose-token.js';
import type { WhisperConfig } from './whisper-config.js';
import type { Decoding, EncodedSound, EncoderDecoder } from './encoder-decoder.js';

/** A window counts as silent when its no-speech probability is above this … */
const NO_SPEECH = 0.6;

/** … and the mean log-probability of its tokens is below this. */
const UNSURE = -1;

/** What decoding needs of a loaded model. */
export interface WindowEngine {
  facts: WhisperConfig;
  sessions: EncoderDecoder;
}

export interface WindowRun {
  sound: EncodedSound;
  prefix: readonly number[];
  times: TranscriptionRequest['times'];
  signal: AbortSignal;
}

/** One token of the window, text or time; the last one is the end token where the model wrote one. */
export interface WindowStep extends Choice {
  /** Cross attention of the token; empty unless times of words are wanted. */
  attention: AttentionRow;
  /** The same for all tokens of the window. */
  noSpeechProbability: number;
}

/**
 * Yields the tokens as they are chosen. Where the model doubts that anybody speaks, it yields all of them at the end, or
 * none if the window counts as silent.
 */
export async function* decodeWindow(
  { facts, sessions }: WindowEngine,
  { sound, prefix, times, signal }: WindowRun,
): AsyncGenerator<WindowStep, void, undefined> {
  const decoding = await sessions.start(sound, prefix, times === 'words' ? facts.alignmentHeads : []);
  try {
    const noSpeechProbability = noSpeech(facts, decoding, prefix);
    const doubtful = noSpeechProbability > NO_SPEECH;
    const steps: WindowStep[] = [];
    const written: number[] = [];
    const text: number[] = [];
    let certainty = 0;
    for (;;) {
      const choice = choose(facts, decoding.logits(), written, times !== undefined);
      const { token, logprob } = choice;
      certainty += logprob;
      const ended = token === facts.endToken;
      if (!ended && prefix.length + written.length >= facts.maxTokens) break;
      const step = { ...choice, attention: decoding.attention, noSpeechProbability };
      steps.push(step);
      if (!doubtful) yield step;
      if (ended) break;
      written.push(token);
      if (token < facts.endToken) text.push(token);
      if (isLooping(text)) break;
      await yieldToEventLoop();
      throwIfCancelled(signal);
      await decoding.append(token);
    }
    if (doubtful && certainty / (text.length + 1) >= UNSURE) yield* steps;
  } finally {
    decoding.close();
  }
}

function choose(facts: WhisperConfig, logits: Float32Array, written: readonly number[], timed: boolean): Choice {
  if (timed && facts.times) return chooseTimedToken(logits, written, facts, facts.times);
  return chooseToken(logits, facts.endToken + 1, written.length === 0 ? facts.suppressedFirst : facts.suppressed);
}

function noSpeech(facts: WhisperConfig, decoding: Decoding, prefix: readonly number[]): number {
  if (facts.noSpeechToken === undefined) return 0;
  return probabilityOf(decoding.logits(prefix.indexOf(facts.startToken)), facts.noSpeechToken);
}
