/** Loads a recogniser of speech (task `speech`), each kind in its own way. @module */
import { AutoConfig } from '@huggingface/transformers';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import { loadFromSource } from '../load-from-source.js';
import { CTC_KINDS } from './ctc-kinds.js';
import type { RecogniserKind } from './recogniser.js';
import { COHERE_ASR, MOONSHINE } from './sequence-kinds.js';
import { WHISPER } from './whisper.js';

/** By `model_type`; `model-classes.ts` refuses others before. Models without a type are Whisper's, the first kind. */
const KINDS: Readonly<Record<string, RecogniserKind>> = {
  ...CTC_KINDS,
  moonshine: MOONSHINE,
  cohere_asr: COHERE_ASR,
};

/**
 * Loads a recogniser; only `transcribe` is there.
 * @throws InferenceError `model_not_supported` for models of another kind; else see {@link loadFromSource}
 */
export async function loadSpeechModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, async ({ id }) => {
    const { model_type: type = '' } = (await AutoConfig.from_pretrained(id)) as { model_type?: string };
    return KINDS[type] ?? WHISPER;
  });
}
