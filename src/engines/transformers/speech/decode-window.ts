/** Decodes one window of sound into tokens, again and more freely where the result is poor. @module */
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import { compressionRatio } from '../../../core/platform/compression-ratio.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { TranscriptionRequest } from '../../../core/request/transcription-request.js';
import { createRandomNumbers } from '../../../language/sampling/random.js';
import type { AttentionRow } from './align-words.js';
import {
  type TokenChoice,
  chooseTimedToken,
  chooseToken,
  type WindowSampling,
  isEchoing,
  isLooping,
  probabilityOf,
} from './choose-token.js';
import type { WhisperConfig } from './whisper-config.js';
import type { Decoding, EncodedSound, EncoderDecoder } from './encoder-decoder.js';

// The bounds and the steps of OpenAI's implementation.

/** A window counts as silent when its no-speech probability is above this … */
const NO_SPEECH = 0.6;

/** … and the mean log-probability of its tokens is below this, which else makes its text a poor one. */
const UNSURE = -1;

/** A text that compresses better repeats itself. */
const REPETITIVE = 2.4;

/** A poor text is written again with a temperature that is higher by this, up to 1. */
const WARMER = 0.2;

/** What this needs of a tokenizer. */
export interface TextDecoder {
  decode(tokens: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
}

/** What decoding needs of a loaded model. */
export interface WindowEngine {
  facts: WhisperConfig;
  sessions: EncoderDecoder;
  tokenizer: TextDecoder;
}

export interface WindowRun {
  sound: EncodedSound;
  prefix: readonly number[];
  times: TranscriptionRequest['times'];
  /** 0 to 1, of the first attempt. */
  temperature: number;
  signal: AbortSignal;
}

/** One token of the window, text or time; the last one is the end token where the model wrote one. */
export interface WindowStep extends TokenChoice {
  temperature: number;
  /** Cross attention of the token; empty unless times of words are wanted. */
  attention: AttentionRow;
  /** The same for all tokens of the window. */
  noSpeechProbability: number;
}

/**
 * Yields the tokens as they are chosen. Holds back those that may be dropped: while the model doubts that anybody speaks,
 * while it is unsure, and while it repeats itself. What is held back is written again where the whole is poor, or left out
 * where the window counts as silent.
 */
export async function* decodeWindow(engine: WindowEngine, run: WindowRun): AsyncGenerator<WindowStep, void, undefined> {
  const settled: WindowStep[] = [];
  for (let temperature = run.temperature; ; temperature = Math.min(1, temperature + WARMER)) {
    const text = new WrittenText(engine.facts, settled);
    const held: WindowStep[] = [];
    for await (const step of writeOn(engine, run, { settled, temperature })) {
      held.push(step);
      text.push(step);
      if (step.noSpeechProbability > NO_SPEECH || text.isUnsure || isEchoing(text.tokens)) continue;
      settled.push(...held);
      yield* held.splice(0);
    }
    if (held.length === 0) return;
    const isSilent = held[0]!.noSpeechProbability > NO_SPEECH && text.isUnsure;
    if (isSilent) return;
    if (temperature >= 1 || !(text.isUnsure || (await isRepetitive(engine, text.tokens)))) return yield* held;
  }
}

/** The text tokens of a window, and how sure the model was of them. */
class WrittenText {
  readonly tokens: number[] = [];
  readonly #facts: WhisperConfig;
  #logprob = 0;

  constructor(facts: WhisperConfig, steps: readonly WindowStep[]) {
    this.#facts = facts;
    for (const step of steps) this.push(step);
  }

  push({ token, logprob }: WindowStep): void {
    this.#logprob += logprob;
    if (token < this.#facts.endToken) this.tokens.push(token);
  }

  /** Before the first token it is not. */
  get isUnsure(): boolean {
    return this.#logprob / (this.tokens.length + 1) < UNSURE;
  }
}

async function isRepetitive({ tokenizer }: WindowEngine, tokens: readonly number[]): Promise<boolean> {
  if (isLooping(tokens)) return true;
  const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
  return (await compressionRatio(tokenizer.decode([...tokens], options))) > REPETITIVE;
}

/** Writes what follows the tokens that are settled, to the end of the window. */
async function* writeOn(
  { facts, sessions }: WindowEngine,
  { sound, prefix, times, signal }: WindowRun,
  { settled, temperature }: { settled: readonly WindowStep[]; temperature: number },
): AsyncGenerator<WindowStep, void, undefined> {
  const written = settled.map(({ token }) => token);
  const heads = times === 'words' ? facts.alignmentHeads : [];
  const decoding = await sessions.start(sound, [...prefix, ...written], heads);
  const draw = temperature > 0 ? { temperature, random: createRandomNumbers(temperature, 0) } : undefined;
  try {
    const noSpeechProbability = settled[0]?.noSpeechProbability ?? noSpeech(facts, decoding, prefix);
    for (;;) {
      const choice = choose(facts, decoding.logits(), { written, timed: times !== undefined, draw });
      const ended = choice.token === facts.endToken;
      if (!ended && prefix.length + written.length >= facts.maxTokens) return;
      yield { ...choice, temperature, attention: decoding.attention, noSpeechProbability };
      if (ended) return;
      written.push(choice.token);
      if (isLooping(written.filter((token) => token < facts.endToken))) return;
      await yieldToEventLoop();
      throwIfCancelled(signal);
      await decoding.append(choice.token);
    }
  } finally {
    decoding.close();
  }
}

interface ChosenWindow {
  written: readonly number[];
  timed: boolean;
  draw: WindowSampling | undefined;
}

function choose(facts: WhisperConfig, logits: Float32Array, { written, timed, draw }: ChosenWindow): TokenChoice {
  if (timed && facts.times) return chooseTimedToken(logits, written, { facts, times: facts.times, sampling: draw });
  const suppressed = written.length === 0 ? facts.suppressedFirst : facts.suppressed;
  return chooseToken(logits, facts.endToken + 1, suppressed, draw);
}

function noSpeech(facts: WhisperConfig, decoding: Decoding, prefix: readonly number[]): number {
  if (facts.noSpeechToken === undefined) return 0;
  return probabilityOf(decoding.logits(prefix.indexOf(facts.startToken)), facts.noSpeechToken);
}
