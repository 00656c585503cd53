/** Which graphs a model consists of, told by its config alone, before gigabytes are fetched. @module */
import { ModelRegistry } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { GRAPHS_BY_TASK, seesImages } from './chat-graphs.js';

/**
 * Names of the graphs: `model` for a chat model in one part, several for one that sees.
 * @param id first argument of `from_pretrained`
 * @throws InferenceError `model_not_supported` for chat models of other parts
 */
export async function modelGraphs(entry: ModelEntry, id: string): Promise<readonly string[]> {
  if (entry.task !== 'chat') return GRAPHS_BY_TASK[entry.task];
  const files = await ModelRegistry.get_model_files(id, { dtype: 'fp32' });
  const graphs = files.flatMap((file) => /^onnx\/(.*)\.onnx$/.exec(file)?.[1] ?? []);
  if (graphs.length <= 1 || seesImages(graphs)) return graphs.length === 0 ? ['model'] : graphs;
  throw new InferenceError(
    'model_not_supported',
    `The model \`${entry.id}\` comes in ${graphs.length} parts, and only models in one part, or with a vision encoder beside embedding and decoder, can run here.`,
    { param: 'model' },
  );
}
