/** Is a chat model one file of weights? Told by its config alone, before gigabytes are fetched. @module */
import { ModelRegistry } from '@huggingface/transformers';
import { InferenceError } from '../../../errors/inference-error.js';
import type { ModelEntry } from '../../../models/model-entry.js';

/**
 * Models that also take images or audio (Qwen 3.5, Gemma 3n and 4) come as an embedding and a decoder of their own, which
 * this backend does not join.
 * @param id first argument of `from_pretrained`
 * @throws InferenceError `model_not_supported`
 */
export async function checkFiles(entry: ModelEntry, id: string): Promise<void> {
  const files = await ModelRegistry.get_model_files(id);
  const graphs = files.filter((file) => file.endsWith('.onnx'));
  if (graphs.length > 1) {
    throw new InferenceError(
      'model_not_supported',
      `The model \`${entry.id}\` comes in ${graphs.length} parts, and only text decoders of one part can run here.`,
      { param: 'model' },
    );
  }
}
