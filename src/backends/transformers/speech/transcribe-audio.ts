/** From a recording to its words: windows, language, greedy decoding, text while it is being written. @module */
import { yieldToEventLoop } from '../../../platform/yield-to-event-loop.js';
import { throwIfCancelled } from '../../../errors/inference-error.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../request/transcription-request.js';
import { chooseToken, isLooping, likeliestOf, probabilityOf } from './choose-token.js';
import { cutWindows } from './cut-windows.js';
import type { LogMel } from './log-mel.js';
import type { SpeechFacts } from './speech-facts.js';
import { type TextDecoder, TranscriptText } from './transcript-text.js';
import type { Decoding, EncodedSound, WhisperSessions } from './whisper-sessions.js';

/** A window counts as silent when the model says so with this probability … */
const NO_SPEECH = 0.6;

/** … and its words have less than this mean log-probability. */
const UNSURE = -1;

/** A loaded speech model. */
export interface SpeechEngine {
  facts: SpeechFacts;
  sessions: WhisperSessions;
  logMel: LogMel;
  tokenizer: TextDecoder & { encode(text: string, options: { add_special_tokens: boolean }): number[] };
}

/**
 * The transcript of `samples` (mono, in the model's sampling rate), window by window.
 * @throws InferenceError `cancelled` within one token of the abort
 */
export async function* transcribeAudio(
  engine: SpeechEngine,
  samples: Float32Array,
  request: TranscriptionRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const { facts } = engine;
  const transcript = new TranscriptText(engine.tokenizer);
  const usage = { promptTokens: 0, completionTokens: 0 };
  const prompt = promptTokens(engine, request.prompt);
  // A language that the model was not trained on is no reason to refuse: it is heard as the one it sounds most like.
  let language = facts.multilingual?.languages.has(request.language ?? '') ? request.language : undefined;
  for (const { start, end } of cutWindows(samples, facts.sampleRate, facts.windowSamples)) {
    await checkpoint(signal);
    const features = engine.logMel(samples.subarray(start, end));
    const sound = await engine.sessions.encode(features, facts.mel.filters.length);
    try {
      await checkpoint(signal);
      language ??= await detectLanguage(engine, sound);
      const prefix = windowPrefix(facts, language, request.task);
      // A prompt that silences the model is left out: it is there to help.
      for (const whole of prompt.length > 0 ? [[...prompt, ...prefix], prefix] : [prefix]) {
        const before = usage.completionTokens;
        usage.promptTokens += whole.length;
        for await (const token of decodeWindow(engine, sound, whole, signal)) {
          usage.completionTokens++;
          const text = transcript.push(token);
          if (text !== '') yield { type: 'delta', text };
        }
        if (usage.completionTokens > before) break;
      }
      transcript.endWindow();
    } finally {
      sound.dispose();
    }
  }
  const durationSeconds = samples.length / facts.sampleRate;
  yield { type: 'finish', text: transcript.text, language: language ?? request.language, durationSeconds, ...usage };
}

/** Hears of aborts that have arrived; the engine computes without pause otherwise. */
async function checkpoint(signal: AbortSignal): Promise<void> {
  await yieldToEventLoop();
  throwIfCancelled(signal);
}

async function detectLanguage({ facts, sessions }: SpeechEngine, sound: EncodedSound): Promise<string | undefined> {
  if (!facts.multilingual) return undefined;
  const decoding = await sessions.start(sound, [facts.startToken]);
  const language = likeliestOf(decoding.logits(), facts.multilingual.languages);
  decoding.close();
  return language;
}

/** Earlier text as Whisper takes it: its last tokens, at most half of the context, as in OpenAI's own implementation. */
function promptTokens({ facts, tokenizer }: SpeechEngine, prompt: string | undefined): number[] {
  const text = prompt?.trim() ?? '';
  if (text === '' || facts.previousToken === undefined) return [];
  // Text that spells a special token must not become one.
  const tokens = tokenizer.encode(` ${text}`, { add_special_tokens: false }).filter((id) => id < facts.endToken);
  // Models that hear less than Whisper's 30 s have seen short texts only; longer prompts make them fall silent.
  const seconds = facts.windowSamples / facts.sampleRate;
  const most = seconds >= 30 ? Math.floor(facts.maxTokens / 2) - 1 : Math.floor(2 * seconds);
  return [facts.previousToken, ...tokens.slice(-most)];
}

function windowPrefix(facts: SpeechFacts, language: string | undefined, task: TranscriptionRequest['task']): number[] {
  const { multilingual, startToken, noTimestampsToken } = facts;
  const prefix = [startToken];
  if (multilingual && language !== undefined) {
    prefix.push(multilingual.languages.get(language)!);
    prefix.push(task === 'translate' ? multilingual.translateToken : multilingual.transcribeToken);
  }
  if (noTimestampsToken !== undefined) prefix.push(noTimestampsToken);
  return prefix;
}

/** The window's text tokens as they are chosen; all at the end where the model doubts that anybody speaks. */
async function* decodeWindow(
  engine: SpeechEngine,
  sound: EncodedSound,
  prefix: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<number, void, undefined> {
  const { facts, sessions } = engine;
  const decoding = await sessions.start(sound, prefix);
  try {
    const doubtful = noSpeechProbability(facts, decoding, prefix) > NO_SPEECH;
    const tokens: number[] = [];
    let certainty = 0;
    for (;;) {
      const suppressed = tokens.length === 0 ? facts.suppressedFirst : facts.suppressed;
      const { token, logprob } = chooseToken(decoding.logits(), facts.endToken + 1, suppressed);
      certainty += logprob;
      if (token === facts.endToken || prefix.length + tokens.length >= facts.maxTokens) break;
      tokens.push(token);
      if (!doubtful) yield token;
      if (isLooping(tokens)) break;
      await checkpoint(signal);
      await decoding.append(token);
    }
    if (doubtful && certainty / (tokens.length + 1) >= UNSURE) yield* tokens;
  } finally {
    decoding.close();
  }
}

function noSpeechProbability(facts: SpeechFacts, decoding: Decoding, prefix: readonly number[]): number {
  if (facts.noSpeechToken === undefined) return 0;
  return probabilityOf(decoding.logits(prefix.indexOf(facts.startToken)), facts.noSpeechToken);
}
