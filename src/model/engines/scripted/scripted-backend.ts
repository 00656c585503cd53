/** Models that answer from a script, for tests and demos without a real model. @module */
import { createTextModel } from '../../decoding/create-text-model.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { Script } from '../../../core/models/script.js';
import { detectReasoningFormat, detectToolFormat } from '../../prompt/detect-formats.js';
import type { Backend, LoadedModel } from '../../../core/models/backend.js';
import { createScriptedEmbedder } from './scripted-embeddings.js';
import { createScriptedEngine } from './scripted-engine.js';
import { createScriptedRanker } from './scripted-ranker.js';
import { createScriptedTranscriber } from './scripted-speech.js';
import { createScriptedSpeaker } from './scripted-voice.js';
import { withRecordedAnswers } from './replay.js';

/** Default context length in tokens. */
const CONTEXT_LENGTH = 4096;

/** Loads at once and needs nothing. See `ModelEntry.script`; without a script every answer is empty. */
export const scriptedBackend: Backend = {
  async load(entry, { signal }) {
    signal.throwIfAborted();
    return createModel(entry);
  },
};

function createModel(entry: ModelEntry): LoadedModel {
  const script: Script = entry.script ?? { replies: [] };
  const contextLength = entry.contextLength ?? CONTEXT_LENGTH;
  switch (entry.task) {
    case 'embeddings':
      return createScriptedEmbedder({ script, contextLength, prompts: entry.prompts });
    case 'rerank':
      return createScriptedRanker({ script, contextLength });
    case 'speech':
      return createScriptedTranscriber({ script, contextLength });
    case 'text-to-speech':
      return createScriptedSpeaker({ script, contextLength });
    case 'chat':
      return createChatModel(entry, script, contextLength);
  }
}

function createChatModel(entry: ModelEntry, script: Script, contextLength: number): LoadedModel {
  // The formats of the scripted chat template, unless the entry names others.
  const toolFormat = detectToolFormat('tools <tool_call>', entry.toolFormat);
  const reasoningFormat = detectReasoningFormat('<think>', entry.reasoningFormat);
  const engine = createScriptedEngine({ script, contextLength, toolFormat, reasoningFormat });
  const model = createTextModel(engine, {
    info: { device: 'none', threads: 1 },
    ...(entry.maxCompletionTokens === undefined ? {} : { maxCompletionTokens: entry.maxCompletionTokens }),
    unload: async () => {},
  });
  return withRecordedAnswers(model, script);
}
