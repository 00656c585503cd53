/** What a model of the hub would need here, asked of the hub when someone names one. */
import type { ModelEntry } from 'inpage';
import { hub } from '../inference.js';

/** A precision that a repository has, and the bytes of its weights. */
interface Variant {
  /** `q8`, `q4f16`, …; the name of an entry's `dtype`. */
  dtype: string;
  bytes: number;
}

export interface HubModel {
  /** `owner/name`. */
  id: string;
  task: 'chat' | 'embeddings';
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
  if (variants.length === 0) {
    throw new Error(
      `${id} has no ONNX weights. Look for the same model by onnx-community, or with "ONNX" in its name.`,
    );
  }
  const others = tree.filter(({ path }) => /^[\w.-]+\.(json|jinja|txt)$/.test(path));
  return { id, task, variants, otherBytes: others.reduce((sum, { size }) => sum + size, 0) };
}

/** @param dtype empty: what fits the device */
export function entryOf({ id, task }: HubModel, dtype: string): ModelEntry {
  const owner = id.split('/')[0] ?? '';
  return {
    id: id.split('/')[1] ?? id,
    task,
    backend: 'transformers',
    source: id,
    ownedBy: owner,
    ...(dtype && { dtype }),
  };
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
  let response: Response;
  try {
    response = await fetch(new URL(path, `${hub.value.replace(/\/$/, '')}/`));
  } catch {
    throw new Error(`${new URL(hub.value).host} could not be reached.`);
  }
  if (!response.ok) throw new Error(`${id} was not found on ${new URL(hub.value).host} (${response.status}).`);
  return (await response.json()) as Answer;
}
