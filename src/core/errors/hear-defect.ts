/** Defects are heard where they happen: what crosses to another realm, or into an answer, says nothing of its cause. @module */
import { type InferenceError, isInferenceError, toInferenceError } from './inference-error.js';

/** In whose work it happened, as far as that is known. */
export interface DefectPlace {
  /** Catalog id. */
  model?: string | undefined;
  /** Of the request; answers have it as `inference-id`. */
  requestId?: string | undefined;
}

/** An error passes several places on its way out, and is told of by the first. */
const heard = new WeakSet<object>();

/**
 * Any thrown value as {@link toInferenceError} makes it. What is no error for a caller, but a defect, is an error in this
 * realm's console, once.
 */
export function hearDefect(thrown: unknown, { model, requestId }: DefectPlace = {}): InferenceError {
  const error = toInferenceError(thrown);
  const defect = isInferenceError(thrown) ? defectOf(thrown) : error.code === 'internal' ? thrown : undefined;
  if (defect === undefined || heard.has(error) || (isObject(defect) && heard.has(defect))) return error;
  heard.add(error);
  if (isObject(defect)) heard.add(defect);
  const where = [model && `model \`${model}\``, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  console.error(`inpage: a defect${where && ` (${where})`}.`, defect);
  return error;
}

/** What was thrown first. Undefined: it is no defect, or came from another realm, whose console has it. */
function defectOf(error: InferenceError): unknown {
  let found: unknown = error;
  while (isInferenceError(found)) {
    if (found.code !== 'internal' || isFromAfar(found)) return undefined;
    found = found.cause;
  }
  return found;
}

/** What crossed a port has its reason as its cause. */
function isFromAfar({ cause, details }: InferenceError): boolean {
  return cause !== undefined && cause === details.reason;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
