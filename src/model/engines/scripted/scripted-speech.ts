/** Transcription without a model: the answer that was recorded for this sound, else the script's first reply. @module */
import type { Script } from '../../../core/models/script.js';
import type {
  TimedText,
  TranscriptEvent,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../../core/request/transcription-request.js';
import type { LoadedModel } from '../../../core/models/backend.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { findRecorded, replay } from './replay.js';
import { scriptedInfo } from './scripted-info.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';

export interface ScriptedTranscriberOptions {
  script: Script;
  contextLength: number;
}

/** Seconds per word. The audio is not decoded. */
const WORD_SECONDS = 0.25;

export function createScriptedTranscriber({ script, contextLength }: ScriptedTranscriberOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const reply = script.replies[0] ?? {};
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);

  async function* transcribe(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptEvent, void, undefined> {
    await failAsScripted(script, signal);
    const recorded = await findRecorded(script, request);
    if (recorded) {
      for await (const events of replay<TranscriptEvent>(recorded, script, signal)) yield* events;
      return;
    }
    const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
    for (const word of words) {
      await rest(script.tokenDelayMs ?? 0, signal);
      yield { type: 'delta', text: word };
    }
    yield {
      type: 'finish',
      text: words.join(''),
      language: request.language ?? 'en',
      durationSeconds: words.length * WORD_SECONDS,
      promptTokens: tokenizer.encodeText(request.prompt ?? '').length,
      completionTokens: tokenizer.encodeText(text).length,
      ...(request.times && { segments: segmentsOf(words, tokenizer) }),
      ...(request.times === 'words' && { words: words.map((word, index) => timed([word], index)) }),
    };
  }

  return {
    info: scriptedInfo(contextLength),
    lost: new Promise(() => {}),
    transcribe,
    unload: async () => {},
  };
}

/** Consecutive words with their time. @param place index of the first */
function timed(words: readonly string[], place: number): TimedText {
  const start = place * WORD_SECONDS;
  return { start, end: start + words.length * WORD_SECONDS, text: words.join('').trim() };
}

/** One per sentence. */
function segmentsOf(words: readonly string[], tokenizer: ScriptedTokenizer): TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  let first = 0;
  for (const [index, word] of words.entries()) {
    if (!/[.!?]\s*$/.test(word) && index < words.length - 1) continue;
    const segment = timed(words.slice(first, index + 1), first);
    const tokens = tokenizer.encodeText(segment.text);
    segments.push({ ...segment, tokens, averageLogprob: 0, noSpeechProbability: 0 });
    first = index + 1;
  }
  return segments;
}
