/** Transcribes a recording: cuts it into windows, detects the language, decodes window by window. @module */
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import type {
  TimedText,
  TranscriptEvent,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../../core/request/transcription-request.js';
import { argmax } from './choose-token.js';
import { cutWindows } from './cut-windows.js';
import { decodeWindow, type TextDecoder, type WindowEngine } from './decode-window.js';
import type { LogMel } from './log-mel.js';
import type { WhisperConfig } from './whisper-config.js';
import { TranscriptText, WindowTranscript } from './transcript.js';
import type { EncodedSound } from './encoder-decoder.js';
import { createTensor } from '../ort/onnx-session.js';

/** A loaded speech model. */
export interface SpeechEngine extends WindowEngine {
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
  const { times, temperature = 0 } = request;
  const transcript = new TranscriptText(engine.tokenizer);
  const usage = { promptTokens: 0, completionTokens: 0 };
  const timing = { segments: [] as TranscriptSegment[], words: [] as TimedText[] };
  const prompt = promptTokens(engine, request.prompt);
  // For a language that the model does not know, the most similar one is detected.
  let language = facts.multilingual?.languages.has(request.language ?? '') ? request.language : undefined;
  for (const { start, end } of cutWindows(samples, facts.sampleRate, facts.windowSamples)) {
    await checkpoint(signal);
    const features = engine.logMel(samples.subarray(start, end));
    const bands = facts.mel.filters.length;
    const input_features = createTensor('float32', features, [1, bands, features.length / bands]);
    const sound = await engine.sessions.encode({ input_features });
    const span = { start: start / facts.sampleRate, end: end / facts.sampleRate };
    try {
      await checkpoint(signal);
      language ??= await detectLanguage(engine, sound);
      const prefix = windowPrefix(facts, language, request);
      // If the model says nothing after the client's prompt, the window is decoded again without it.
      for (const whole of prompt.length > 0 ? [[...prompt, ...prefix], prefix] : [prefix]) {
        usage.promptTokens += whole.length;
        const decoded = decodeWindow(engine, { sound, prefix: whole, times, temperature, signal });
        const written = new WindowTranscript(facts, transcript, { span, language });
        for await (const step of decoded) {
          const text = written.take(step);
          if (step.token !== facts.endToken) usage.completionTokens++;
          if (text !== '') yield { type: 'delta', text };
        }
        if (written.isEmpty) continue;
        timing.segments.push(...written.segments());
        if (request.times === 'words') timing.words.push(...written.words());
        break;
      }
      transcript.endWindow();
    } finally {
      sound.dispose();
    }
  }
  const durationSeconds = samples.length / facts.sampleRate;
  yield {
    type: 'finish',
    text: transcript.text,
    language: language ?? request.language,
    durationSeconds,
    ...usage,
    ...(request.times && { segments: timing.segments }),
    ...(request.times === 'words' && { words: timing.words }),
  };
}

/** Lets abort messages arrive between computations. */
async function checkpoint(signal: AbortSignal): Promise<void> {
  await yieldToEventLoop();
  throwIfCancelled(signal);
}

async function detectLanguage({ facts, sessions }: SpeechEngine, sound: EncodedSound): Promise<string | undefined> {
  if (!facts.multilingual) return undefined;
  const decoding = await sessions.start(sound, [facts.startToken]);
  const language = argmax(decoding.logits(), facts.multilingual.languages);
  decoding.close();
  return language;
}

/** The client's prompt: its last tokens, at most half of the context, as in OpenAI's implementation. */
function promptTokens({ facts, tokenizer }: SpeechEngine, prompt: string | undefined): number[] {
  const text = prompt?.trim() ?? '';
  if (text === '' || facts.previousToken === undefined) return [];
  // Text that spells a special token must not become one.
  const tokens = tokenizer.encode(` ${text}`, { add_special_tokens: false }).filter((id) => id < facts.endToken);
  // Models with windows of less than 30 s were trained on short texts; after longer prompts they say nothing.
  const seconds = facts.windowSamples / facts.sampleRate;
  const most = seconds >= 30 ? Math.floor(facts.maxTokens / 2) - 1 : Math.floor(2 * seconds);
  return [facts.previousToken, ...tokens.slice(-most)];
}

function windowPrefix(
  facts: WhisperConfig,
  language: string | undefined,
  { task, times }: TranscriptionRequest,
): number[] {
  const { multilingual, startToken, noTimestampsToken } = facts;
  const prefix = [startToken];
  if (multilingual && language !== undefined) {
    prefix.push(multilingual.languages.get(language)!);
    prefix.push(task === 'translate' ? multilingual.translateToken : multilingual.transcribeToken);
  }
  if (noTimestampsToken !== undefined && !(times && facts.times)) prefix.push(noTimestampsToken);
  return prefix;
}
