/** What an ONNX model is for, where nobody has said it. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

/** What a model is for, by its parsed `config.json`; undefined: it does not say. */
export function guessTask(config: unknown): ModelEntry['task'] | undefined {
  const { architectures = [], model_type: type = '' } = (config ?? {}) as {
    architectures?: string[];
    model_type?: string;
  };
  const [architecture = ''] = architectures;
  if (/^(vits|supertonic)$/.test(type)) return 'text-to-speech';
  if (/Whisper/.test(architecture) || type === 'whisper') return 'speech-to-text';
  if (/ForCausalLM$|ForConditionalGeneration$|LMHeadModel$/.test(architecture)) return 'chat';
  if (architecture.endsWith('ForSequenceClassification')) return 'rerank';
  if (/Model$|ForMaskedLM$/.test(architecture)) return 'embeddings';
  return undefined;
}
