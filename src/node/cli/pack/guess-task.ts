/** What a model is for, told by its config. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';

/** @param config the parsed `config.json` @throws Error when it does not say */
export function guessTask(config: unknown): ModelEntry['task'] {
  const { architectures = [], model_type: type = '' } = config as { architectures?: string[]; model_type?: string };
  const [architecture = ''] = architectures;
  if (/Whisper/.test(architecture) || type === 'whisper') return 'speech';
  if (/ForCausalLM$|ForConditionalGeneration$|LMHeadModel$/.test(architecture)) return 'chat';
  if (/Model$|ForMaskedLM$/.test(architecture)) return 'embeddings';
  throw new Error(`The config does not tell the model's task: say --task chat, embeddings or speech.`);
}
