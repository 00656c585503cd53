/** Sampling fields that several dialects share, each nullable and optional. @module */
import * as v from 'valibot';
import { object, recordOf } from './plain-object.js';

/** A number within bounds, both included. */
export function numberBetween(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum));
}

/** An integer of at least `minimum`. */
export function integerFrom(minimum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum));
}

/** An integer within bounds, both included. */
export function integerBetween(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum));
}

/** Caps, `n`, `seed` and the like: the same on chat and text completions. */
export const tokenCap = v.nullish(integerFrom(1));
export const choiceCount = v.nullish(integerBetween(1, 8));
export const seed = v.nullish(v.pipe(v.number(), v.integer()));
export const topLogprobs = v.nullish(integerBetween(0, 20));

/** One sequence or up to four. */
export const stop = v.nullish(v.union([v.string(), v.pipe(v.array(v.string()), v.maxLength(4))]));

/** Token ids (as strings, since JSON has no other keys) to biases. */
export const logitBias = v.nullish(
  recordOf(v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'must be a token id')), integerBetween(-100, 100)),
);

/** Only with `stream: true`; see `requireStream`. */
export const streamOptions = v.nullish(object({ include_usage: v.nullish(v.boolean()) }));
