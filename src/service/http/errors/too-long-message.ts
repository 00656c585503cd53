/** What an error says of a prompt that is too long: the words of the hosted services, which programs look for. @module */
import type { InferenceError } from '../../../core/errors/inference-error.js';

/** What programs tell the error of OpenAI's dialects by. */
const WORDS = /maximum context length is \d+ tokens/i;

/** The message of a `context_length_exceeded` as this endpoint's clients know it; a remote service may have other words. */
export function tooLongMessage({ message, details }: InferenceError, endpoint: string): string {
  const { contextLength, promptTokens } = details;
  if (endpoint === 'messages') {
    const isCounted = contextLength !== undefined && promptTokens !== undefined;
    return `prompt is too long: ${isCounted ? `${promptTokens} tokens > ${contextLength} maximum` : message}`;
  }
  if (WORDS.test(message)) return message;
  const limit = contextLength === undefined ? '' : ` is ${contextLength} tokens`;
  return limit
    ? `This model's maximum context length${limit}. ${message}`
    : `Over the model's maximum context length: ${message}`;
}
