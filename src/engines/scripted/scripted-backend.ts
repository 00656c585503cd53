/** Models that answer from a script, for tests and demos without a real model. @module */
import type { Backend, LoadedModel } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { Script } from '../../core/models/script.js';
import type { RankingRequest, RankingResult } from '../../core/request/ranking-request.js';
import { SPEECH_RATE } from '../../core/request/speech-request.js';
import type {
  TimedText,
  TranscriptEvent,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../core/request/transcription-request.js';
import { createVoiceModel } from '../../sound/voice/create-voice-model.js';
import { documentTokenBudget } from '../../language/ranking/document-token-budget.js';
import { replyForText } from './choose-reply.js';
import { findHeard, replay } from './replay.js';
import { createScriptedChat } from './scripted-chat.js';
import { createScriptedEmbedder } from './scripted-embeddings.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { SCRIPTED_CONTEXT, scriptedInfo } from './scripted-info.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';

/** Loads at once and needs nothing. See `ModelEntry.script`; without a script every answer is empty. */
export const scriptedBackend: Backend = {
  async load(entry, { signal }) {
    signal.throwIfAborted();
    return createModel(entry);
  },
};

function createModel(entry: ModelEntry): LoadedModel {
  const script: Script = entry.script ?? { replies: [] };
  const contextLength = entry.contextLength ?? SCRIPTED_CONTEXT;
  switch (entry.task) {
    case 'embeddings':
      return createScriptedEmbedder({ script, contextLength, prompts: entry.prompts });
    case 'rerank':
      return createScriptedRanker({ script, contextLength });
    case 'speech-to-text':
      return createScriptedTranscriber({ script, contextLength });
    case 'text-to-speech':
      return createScriptedSpeaker({ script, contextLength });
    case 'chat':
      return createScriptedChat(entry);
  }
}

/** Speech without a model: a tone whose length and pitch are fixed, so that tests can measure them. */
interface ScriptedSpeakerOptions {
  script: Script;
  contextLength: number;
}

/** Hz of each voice. */
const PITCHES: Readonly<Record<string, number>> = { low: 220, high: 440 };

/** Samples of a code point at speed 1: 60 ms. */
const SAMPLES = SPEECH_RATE * 0.06;

/** Loud enough to measure, and far from being cut. */
const AMPLITUDE = 0.5;

function createScriptedSpeaker({ script, contextLength }: ScriptedSpeakerOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const engine = {
    sampleRate: SPEECH_RATE,
    voices: Object.keys(PITCHES).map((id) => ({ id, name: id, language: null })),
    countTokens: (text: string) => tokenizer.encodeText(text).length,
    async speak(sentence: string, { voice, speed }: { voice: string; speed: number }, signal: AbortSignal) {
      await failAsScripted(script, signal);
      await rest(script.tokenDelayMs ?? 0, signal);
      const step = (2 * Math.PI * PITCHES[voice]!) / SPEECH_RATE;
      const length = Math.round((Array.from(sentence).length * SAMPLES) / speed);
      const samples = new Float32Array(length);
      for (let at = 0; at < length; at++) samples[at] = AMPLITUDE * Math.sin(at * step);
      return samples;
    },
  };
  return createVoiceModel(engine, { info: scriptedInfo(contextLength), unload: async () => {} });
}

/** Relevance without a model: what the script says, else how many words of the query a document has. */
interface ScriptedRankerOptions {
  script: Script;
  contextLength: number;
}

/** `rerank` throws `context_length_exceeded` when the query fills the context; documents are cut. */
function createScriptedRanker({ script, contextLength }: ScriptedRankerOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();

  async function rerank(request: RankingRequest, signal: AbortSignal): Promise<RankingResult> {
    const { query, documents, maxTokensPerDocument } = request;
    const querySize = tokenizer.encodeText(query).length;
    const room = documentTokenBudget({ contextLength, query: querySize, control: 0, maxTokensPerDocument });
    await failAsScripted(script, signal);
    const scores: number[] = [];
    let promptTokens = 0;
    for (const document of documents) {
      await rest(script.tokenDelayMs ?? 0, signal);
      const tokens = tokenizer.encodeText(document).slice(0, room);
      const read = textOf(tokens.map((token) => tokenizer.bytesOf(token)));
      scores.push(replyForText(script.replies, read)?.score ?? shareOfWords(query, read));
      promptTokens += querySize + tokens.length;
    }
    return { scores, promptTokens };
  }

  return {
    info: scriptedInfo(contextLength),
    lost: new Promise(() => {}),
    rerank,
    unload: async () => {},
  };
}

function textOf(pieces: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Uint8Array.from(pieces.flatMap((bytes) => [...bytes])));
}

/** The part of the query's different words that the document has, 0 to 1; 0 for a query without words. */
function shareOfWords(query: string, document: string): number {
  const asked = splitIntoWords(query);
  const known = splitIntoWords(document);
  return asked.size === 0 ? 0 : [...asked].filter((word) => known.has(word)).length / asked.size;
}

function splitIntoWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Transcription without a model: the answer that was recorded for this sound, else the script's first reply. */
interface ScriptedTranscriberOptions {
  script: Script;
  contextLength: number;
}

/** Seconds per word. The audio is not decoded. */
const WORD_SECONDS = 0.25;

function createScriptedTranscriber({ script, contextLength }: ScriptedTranscriberOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const reply = script.replies[0] ?? {};
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);

  async function* transcribe(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptEvent, void, undefined> {
    await failAsScripted(script, signal);
    const recorded = await findHeard(script, request);
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
      ...(request.times && { segments: splitIntoSegments(words, tokenizer) }),
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

/** Consecutive words with their time. @param index of the first */
function timed(words: readonly string[], index: number): TimedText {
  const start = index * WORD_SECONDS;
  return { start, end: start + words.length * WORD_SECONDS, text: words.join('').trim() };
}

/** One per sentence. */
function splitIntoSegments(words: readonly string[], tokenizer: ScriptedTokenizer): TranscriptSegment[] {
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
