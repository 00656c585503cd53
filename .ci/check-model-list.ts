// Compares the list of recommended models with the hub: that each repository and file is there, in the size that the list says.
// For a machine with a network; `HUB` names another address.
import { LISTED_MODELS, type ListedModel } from '../src/core/models/listed-models.js';

const HUB = process.env['HUB'] ?? 'https://huggingface.co';
/** Share by which a size may differ. */
const TOLERANCE = 0.03;

/** ONNX files end with their precision. */
const SUFFIX: Record<string, string> = { fp32: '', fp16: '_fp16', q8: '_quantized', q4: '_q4', q4f16: '_q4f16' };

interface HubFile {
  path: string;
  size: number;
}

/** Bytes of a precision's files; 0: there are none. */
function bytesOf(files: readonly HubFile[], { backend, file = '' }: ListedModel, dtype: string): number {
  const pattern =
    backend === 'gguf'
      ? new RegExp(`^${file.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
      : new RegExp(`^onnx/.*(model|encoder|merged)${SUFFIX[dtype]}\\.onnx(_data(_\\d+)?)?$`);
  return files.filter(({ path }) => pattern.test(path)).reduce((sum, { size }) => sum + size, 0);
}

const problems: string[] = [];
for (const model of LISTED_MODELS) {
  // The package of WebLLM names its models; a unit test compares.
  if (model.backend === 'web-llm') continue;
  const response = await fetch(`${HUB}/api/models/${model.source}/tree/main?recursive=true`);
  if (!response.ok) {
    problems.push(`${model.source}: the hub answers ${response.status}`);
    continue;
  }
  const files = (await response.json()) as HubFile[];
  for (const [dtype, megabytes] of Object.entries(model.megabytes)) {
    const found = bytesOf(files, model, dtype) / 1e6;
    const isNear = Math.abs(found - megabytes) <= megabytes * TOLERANCE;
    if (!isNear) problems.push(`${model.source}: ${dtype} has ${found.toFixed(0)} MB, the list says ${megabytes}`);
  }
}
for (const problem of problems) console.error(problem);
console.log(`model list: ${LISTED_MODELS.length} models, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
