/** An answer in the form of a JSON Schema, and what is wrong with a schema that is refused. */
import { signal } from '@preact/signals';
import { chatModel } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { callInference } from '../wire/call-inference.js';
import { RequestError } from '../wire/request-error.js';
import type { WireRequest } from '../wire/wire-log.js';
import { FIRST_EXAMPLE } from './json-examples.js';

/** A schema that was refused. */
export interface SchemaProblem {
  /** Dotted place in the schema; empty: the schema as a whole; absent: the error is about something else. */
  field?: string;
  message: string;
}

interface Completion {
  choices: { message: { content: string | null }; finish_reason: string }[];
}

/** Where the request has the schema; places in errors begin so. */
const PLACE = 'response_format.json_schema.schema';

export const schemaText = signal(FIRST_EXAMPLE.schema);
export const question = signal(FIRST_EXAMPLE.question);
export const answer = signal<unknown>(undefined);
export const problem = signal<SchemaProblem | undefined>(undefined);
export const running = signal(false);

export async function askForJson(): Promise<void> {
  if (running.value) return;
  problem.value = answer.value = undefined;
  running.value = true;
  try {
    answer.value = await ask(readSchema());
  } catch (error) {
    problem.value = schemaProblem(error);
  } finally {
    running.value = false;
  }
}

/** What is asked now; undefined: the schema is no JSON. */
export function jsonRequest(): WireRequest | undefined {
  try {
    return { path: '/chat/completions', sentAs: 'json', body: bodyOf(JSON.parse(schemaText.value)) };
  } catch {
    return undefined;
  }
}

function bodyOf(schema: unknown): Record<string, unknown> {
  return {
    model: chatModel.value,
    messages: [{ role: 'user', content: question.value.trim() }],
    temperature: 0,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  };
}

async function ask(schema: unknown): Promise<unknown> {
  const { choices } = await callInference<Completion>('/chat/completions', bodyOf(schema));
  const { message, finish_reason: reason } = choices[0]!;
  if (reason === 'length') throw new Error(`The answer was truncated at the token limit: ${message.content}`);
  return JSON.parse(message.content ?? '');
}

function readSchema(): unknown {
  try {
    return JSON.parse(schemaText.value);
  } catch (error) {
    throw new RequestError(`The schema is not valid JSON: ${problemOf(error)}`, PLACE);
  }
}

function schemaProblem(error: unknown): SchemaProblem {
  const message = problemOf(error);
  if (!(error instanceof RequestError) || !error.param?.startsWith(PLACE)) return { message };
  const field = error.param.slice(PLACE.length + 1);
  // The sentence names the whole place in the request, which is not what was typed here.
  return field ? { field, message: message.replace(/^.*`response_format[^`]*` /, '') } : { field, message };
}
