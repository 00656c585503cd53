/** JSON answers of a remote service. @module */
import * as v from 'valibot';
import { broken } from './read-event-stream.js';

/** A count that the service may leave out. */
export const tokenCount = v.nullish(v.number(), 0);

/** @throws InferenceError `unavailable` when the answer is not of this form */
export function readAnswer<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, answer);
  if (!result.success) throw broken('sent an answer that makes no sense', new v.ValiError(result.issues));
  return result.output;
}
