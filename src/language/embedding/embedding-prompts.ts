/** The texts that a model of embeddings was trained to find before queries and before documents. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

/** A model's prompts. */
export interface EmbeddingPrompts {
  /** By their names; may be empty. */
  prompts: Readonly<Record<string, string>>;
  /** Name of the prompt of requests that ask for none. */
  defaultName?: string | undefined;
}

/** What a kind of input may be called among a model's prompts, the first that is there counts: as in sentence-transformers. */
const QUERY = ['query', 'search_query'];
const DOCUMENT = ['document', 'search_document', 'passage', 'corpus'];

/** Kinds of input that are no names of prompts, but have one in most models. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  query: QUERY,
  search_query: QUERY,
  document: DOCUMENT,
  search_document: DOCUMENT,
};

/**
 * The text that stands before every input of a request; empty: none.
 * @param inputType `input_type` of the request: a kind of input, or the name of a prompt
 * @throws InferenceError `invalid_request` for a name that the model does not have
 */
export function promptFor({ prompts, defaultName }: EmbeddingPrompts, inputType: string | undefined): string {
  const names = Object.keys(prompts);
  if (names.length === 0) return '';
  const wanted = inputType === undefined ? [defaultName] : ownValue(KINDS, inputType);
  if (wanted) return prompts[wanted.find((name) => name !== undefined && names.includes(name)) ?? ''] ?? '';
  if (names.includes(inputType!)) return prompts[inputType!]!;
  const known = [...new Set([...Object.keys(KINDS), ...names])].map((name) => `\`${name}\``).join(', ');
  throw new InferenceError('invalid_request', `\`input_type\` must be one of: ${known} for this model.`, {
    param: 'input_type',
  });
}

/** Names come from clients: those of JavaScript's own objects are none. */
function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
