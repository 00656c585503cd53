/** `functions` and `function_call`, from before there were tools: older clients still send them. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Message } from '../../../core/request/message.js';
import { object, objectOf } from '../fields/json-object.js';
import { functionName, MAX_TOOLS } from '../fields/tools.js';

const legacyFunction = object({
  name: functionName,
  description: v.nullish(v.string()),
  parameters: v.nullish(objectOf(v.unknown())),
});

/** The two fields of a request. */
export const legacyFields = {
  functions: v.nullish(v.pipe(v.array(legacyFunction), v.minLength(1), v.maxLength(MAX_TOOLS))),
  function_call: v.nullish(v.union([v.picklist(['none', 'auto']), object({ name: v.string() })])),
};

/** A call in the assistant's turn. */
export const legacyCall = v.nullish(object({ name: v.string(), arguments: v.string() }));

export type LegacyFields = v.InferOutput<v.ObjectSchema<typeof legacyFields, undefined>>;

/** Whether calls are answered in the old form. */
export function usesFunctions({ functions }: Pick<LegacyFields, 'functions'>): boolean {
  return functions != null;
}

/** A rule that throws InferenceError `invalid_request` for functions beside tools. */
export function refuseFunctionsBesideTools({ functions, tools }: Readonly<Record<string, unknown>>): void {
  if (functions == null || tools == null) return;
  throw new InferenceError('invalid_request', '`functions` cannot be combined with `tools`.', { param: 'functions' });
}

/** The id of a call in the turn at this index: the old form has none. */
export function legacyCallId(index: number): string {
  return `function_call_${index}`;
}

/**
 * The id of the last call of a function before its result.
 * @param before the turns before the result
 * @throws InferenceError `invalid_request` where there is none
 */
export function findLastCall(name: string, before: readonly Message[], param: string): string {
  const calls = before.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const call = calls.findLast((each) => each.name === name);
  if (call) return call.id;
  throw new InferenceError('invalid_request', `\`${param}\` must be the name of a function that was called.`, {
    param,
  });
}
