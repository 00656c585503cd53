/** What a model of the hub would need here, asked of the hub when someone names one. */
import type { ModelEntry } from 'inpage';
import { hub } from '../inference.js';

/** A precision that a repository has, and the bytes of its weights. */
interface Variant {
  /** `q8`, `q4f16`, …, the name of an entry's `dtype`; of a GGUF repository the path of a file. */
  dtype: string;
  bytes: number;
}

export interface HubModel {
  /** `owner/name`. */
  id: string;
  task: 'chat' | 'embeddings';
  /** What runs its files. */
  backend: 'transformers' | 'gguf';
  variants: Variant[];
  /** Bytes of everything besides the weights: tokenizer, configs. */
  otherBytes: number;
}

/** Which of the hub's tasks a panel of this page asks for. */
const TASKS: Record<string, HubModel['task']> = {
  'text-generation': 'chat',
  'image-text-to-text': 'chat',
  'feature-extraction': 'embeddings',
  'sentence-similarity': 'embeddings',
};

/** Names of files by precision: transformers.js's, and LiquidAI's for 8 bits. */
const SUFFIXES: Record<string, string> = {
  '': 'fp32',
  _fp16: 'fp16',
  _quantized: 'q8',
  _q8: 'q8',
  _int8: 'int8',
  _uint8: 'uint8',
  _q4: 'q4',
  _q4f16: 'q4f16',
  _bnb4: 'bnb4',
};

interface TreeEntry {
  type: string;
  path: string;
  size: number;
}

/** @returns undefined for what is neither an id nor an address of the hub */
export function hubIdOf(pasted: string): string | undefined {
  const path = pasted.trim().replace(/^https?:\/\/[^/]+\//, '');
  return /^[\w-][\w.-]*\/[\w.-]+/.exec(path)?.[0];
}

/**
 * Asks the hub.
 * @throws Error that says what is wrong with the model, or that the hub is not reachable
 */
export async function lookUp(id: string): Promise<HubModel> {
  const [about, tree] = await Promise.all([
    ask<{ pipeline_tag?: string }>(`api/models/${id}`, id),
    ask<TreeEntry[]>(`api/models/${id}/tree/main?recursive=true`, id),
  ]);
  const tag = about.pipeline_tag ?? 'text-generation';
  const task = TASKS[tag];
  if (!task) throw new Error(`${id} neither chats nor embeds: it is for ${tag}.`);
  const weights = tree.filter(({ type, path }) => type === 'file' && /^onnx\/.*\.onnx/.test(path));
  const variants = Object.entries(SUFFIXES)
    .map(([suffix, dtype]) => ({ dtype, bytes: sizeOf(weights, suffix) }))
    .filter(
      ({ dtype, bytes }, at, all) =>
        bytes > 0 && all.findIndex((other) => other.dtype === dtype && other.bytes > 0) === at,
    );
  if (variants.length === 0) return ggufModel(id, task, tree);
  const others = tree.filter(({ path }) => /^[\w.-]+\.(json|jinja|txt)$/.test(path));
  return { id, task, backend: 'transformers', variants, otherBytes: others.reduce((sum, { size }) => sum + size, 0) };
}

/** Projectors of vision models, and pieces of a file that was split. */
const NO_MODEL = /(^|\/)mmproj[^/]*$|-\d{5}-of-\d{5}\.gguf$/i;

/** A repository with GGUF files: each is a whole model. @throws Error where it has none */
function ggufModel(id: string, task: HubModel['task'], tree: readonly TreeEntry[]): HubModel {
  const files = tree.filter(({ type, path }) => type === 'file' && /\.gguf$/i.test(path) && !NO_MODEL.test(path));
  if (files.length === 0) {
    throw new Error(
      `${id} has files for neither of this page's engines. Look for the same model with "GGUF" or "ONNX" in its name.`,
    );
  }
  const variants = files.map(({ path, size }) => ({ dtype: path, bytes: size })).toSorted((a, b) => a.bytes - b.bytes);
  return { id, task, backend: 'gguf', variants, otherBytes: 0 };
}

/** @param chosen precision, or file of a GGUF repository; empty: what fits the device */
export function entryOf({ id, task, backend }: HubModel, chosen: string): ModelEntry {
  const [ownedBy = '', name = id] = id.split('/');
  const common = { id: name, task, source: id, ownedBy };
  if (backend === 'gguf') return { ...common, backend, ...(chosen && { file: chosen }) };
  return { ...common, backend, ...(chosen && { dtype: chosen }) };
}

/** Newer repositories have one graph, older ones a decoder. */
function sizeOf(weights: readonly TreeEntry[], suffix: string): number {
  const sizes = ['model', 'decoder_model_merged'].map((name) => {
    const pattern = new RegExp(String.raw`^onnx/${name}${suffix}\.onnx(_data(_\d+)?)?$`);
    return weights.filter(({ path }) => pattern.test(path)).reduce((sum, { size }) => sum + size, 0);
  });
  return sizes.find((size) => size > 0) ?? 0;
}

async function ask<Answer>(path: string, id: string): Promise<Answer> {
  const { host } = new URL(hub.value);
  let response: Response;
  try {
    response = await fetch(new URL(path, `${hub.value.replace(/\/$/, '')}/`));
  } catch {
    throw new Error(`${host} could not be reached. Check your network, and try again.`);
  }
  if (!response.ok) throw new Error(refusalWords(response.status, id, host));
  return (await response.json()) as Answer;
}

/** Why the hub did not answer, for people. It says 401 for what is private and for what there is not. */
function refusalWords(status: number, id: string, host: string): string {
  if (status === 401 || status === 404) return `${host} has no public model "${id}". Check how it is spelt.`;
  if (status === 403) return `"${id}" is not open to everybody: ${host} wants you to accept its license first.`;
  if (status === 429) return `${host} has too many requests now. Try again in a few minutes.`;
  return `${host} has a problem of its own now (${status}). Try again later.`;
}
