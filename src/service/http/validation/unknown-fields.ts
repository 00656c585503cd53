/** Fields of a request that its endpoint does not have: what was probably meant. @module */
import { nearestName } from '../../../core/models/suggest-name.js';
import { warnOnce } from '../fields/warn-once.js';

/** What other APIs, and other endpoints here, call the same. The first that an endpoint has is meant. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  audio: ['file'],
  docs: ['documents'],
  function_call: ['tool_choice'],
  functions: ['tools'],
  input: ['messages', 'prompt', 'documents'],
  inputs: ['input', 'messages', 'prompt'],
  max_completion_tokens: ['max_tokens', 'max_output_tokens'],
  max_new_tokens: ['max_completion_tokens', 'max_output_tokens', 'max_tokens'],
  max_output_tokens: ['max_completion_tokens', 'max_tokens'],
  max_tokens: ['max_output_tokens'],
  message: ['messages', 'input'],
  messages: ['input', 'prompt'],
  num_ctx: ['options'],
  num_predict: ['max_completion_tokens', 'max_output_tokens', 'max_tokens', 'options'],
  prompt: ['messages', 'input'],
  query: ['input'],
  response_format: ['text', 'output_config', 'format'],
  seed: ['options'],
  stop: ['stop_sequences', 'options'],
  stop_sequences: ['stop'],
  temperature: ['options'],
  text: ['input'],
  texts: ['documents', 'input'],
  top_k: ['options'],
  top_p: ['options'],
};

/** Fields of hosted services that are near others in their letters only. */
const OF_SERVICES = new Set(['min_tokens', 'top_a', 'top_n', 'store', 'user', 'audio']);

/** Unknown fields that are looked at, and letters of one. */
const MAX_FIELDS = 20;
const MAX_LETTERS = 40;

/** Letters in which a misspelt name may differ. */
const MAX_DISTANCE = 2;
const SHORT_NAME = 6;

/** The names of an endpoint's fields; undefined where its schema has none. */
export function fieldsOf(schema: object): readonly string[] | undefined {
  const { entries } = schema as { entries?: object };
  return entries && Object.keys(entries);
}

/** The field that a name probably stands for. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const synonym = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name]!.find((each) => known.includes(each)) : undefined;
  if (synonym !== undefined || name.length > MAX_LETTERS || OF_SERVICES.has(name)) return synonym;
  return nearestName(name, known, name.length <= SHORT_NAME ? 1 : MAX_DISTANCE);
}

function unknownIn(body: unknown, known: readonly string[]): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  return unknown.length > MAX_FIELDS ? [] : unknown;
}

/** A second sentence about a field that is missing: which one the body has in its place; empty where it has none. */
export function hintOfMissing(field: string, body: unknown, known: readonly string[]): string {
  const instead = unknownIn(body, known).find((name) => meantBy(name, known) === field);
  return instead === undefined ? '' : ` The request has \`${instead}\`, which this endpoint does not have.`;
}

/** Unknown fields are ignored, as hosted services do. Those that look like a mistake are named in the console. */
export function warnOfUnknownFields(body: unknown, known: readonly string[]): void {
  for (const name of unknownIn(body, known)) {
    const meant = meantBy(name, known);
    if (meant !== undefined)
      warnOnce(`a request has the field \`${name}\`, which its endpoint ignores. Did you mean \`${meant}\`?`);
  }
}
