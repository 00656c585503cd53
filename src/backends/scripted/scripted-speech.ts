/** Transcription without a model: the script's first reply, word by word, whatever the audio says. @module */
import type { Script } from '../../models/model-entry.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../request/transcription-request.js';
import type { LoadedModel } from '../../models/backend.js';
import { failAsScripted, rest } from './rehearse.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';

export interface ScriptedTranscriberOptions {
  script: Script;
  contextLength: number;
}

/** The audio is not decoded, so its length is given as 0. */
export function createScriptedTranscriber({ script, contextLength }: ScriptedTranscriberOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const reply = script.replies[0] ?? {};
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);

  async function* transcribe(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptEvent, void, undefined> {
    await failAsScripted(script, signal);
    const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
    for (const word of words) {
      await rest(script.tokenDelayMs ?? 0, signal);
      yield { type: 'delta', text: word };
    }
    yield {
      type: 'finish',
      text: words.join(''),
      language: request.language ?? 'en',
      durationSeconds: 0,
      promptTokens: tokenizer.encodeText(request.prompt ?? '').length,
      completionTokens: tokenizer.encodeText(text).length,
    };
  }

  return {
    info: {
      contextLength,
      device: 'none',
      threads: 1,
      toolFormat: 'none',
      reasoningFormat: 'none',
      images: false,
    },
    lost: new Promise(() => {}),
    transcribe,
    unload: async () => {},
  };
}
