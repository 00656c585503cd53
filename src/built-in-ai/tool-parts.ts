/** Calls of tools, and what came of them, as parts of messages. @module */
import { createUuid } from '../core/platform/create-uuid.js';
import { dictionary, listOf, textOf } from './idl.js';
import type { ChatCall } from './turn.js';

export interface ToolResponse {
  callId: string;
  /** What the model reads. */
  text: string;
}

/** A call, as the model made it. */
export class LanguageModelToolCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: unknown;

  constructor({ callId, name, arguments: values }: { callId: string; name: string; arguments?: unknown }) {
    this.callId = textOf(callId);
    this.name = textOf(name);
    this.arguments = values;
  }
}

/** What a call gave. */
class LanguageModelToolSuccess {
  readonly callId: string;
  readonly name: string;
  readonly result: readonly unknown[];

  constructor({ callId, name, result }: { callId: string; name: string; result: Iterable<unknown> }) {
    this.callId = textOf(callId);
    this.name = textOf(name);
    this.result = listOf(result, 'result');
  }
}

/** Why a call gave nothing. */
class LanguageModelToolError {
  readonly callId: string;
  readonly name: string;
  readonly errorMessage: string;

  constructor({ callId, name, errorMessage }: { callId: string; name: string; errorMessage: string }) {
    this.callId = textOf(callId);
    this.name = textOf(name);
    this.errorMessage = textOf(errorMessage);
  }
}

/** What is installed with `LanguageModel`. */
export const TOOL_CLASSES = { LanguageModelToolCall, LanguageModelToolSuccess, LanguageModelToolError };

interface CallValue {
  callId?: unknown;
  name?: unknown;
  arguments?: unknown;
  result?: unknown;
  errorMessage?: unknown;
}

/** @throws TypeError */
function valueOf(value: unknown, needs: readonly (keyof CallValue)[]): CallValue {
  if (typeof value !== 'object' || value === null) throw new TypeError('The `value` of the part must be an object.');
  for (const name of needs)
    if ((value as CallValue)[name] === undefined) throw new TypeError(`The \`value\` of the part needs \`${name}\`.`);
  return value;
}

/** @throws TypeError */
export function toCall(value: unknown): ChatCall {
  const { callId, name, arguments: values = {} } = valueOf(value, ['name']);
  const id = callId === undefined ? createUuid() : textOf(callId);
  return { id, type: 'function', function: { name: textOf(name), arguments: JSON.stringify(values) } };
}

/** @throws TypeError */
export function toResponse(value: unknown): ToolResponse {
  const { callId, result, errorMessage } = valueOf(value, ['callId']);
  if (errorMessage !== undefined) return { callId: textOf(callId), text: toolErrorText(textOf(errorMessage)) };
  if (result === undefined) throw new TypeError('A response needs `result` or `errorMessage`.');
  const texts = listOf(result, 'result').map((part) => {
    const { type, value: each } = dictionary(part, 'result');
    return type === 'text' ? textOf(each) : JSON.stringify(each ?? null);
  });
  return { callId: textOf(callId), text: texts.join('') };
}

/** How the model is told that a tool failed. */
export function toolErrorText(message: string): string {
  return `Error: ${message}`;
}
