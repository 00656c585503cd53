/** Which of a model's voices a request means. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { OPENAI_VOICES, type Voice } from '../../core/request/speech-request.js';

/** So many voices are named in an error. */
const NAMED = 50;

/**
 * A voice by its id. OpenAI's names, of which a model knows none, are spread over its voices, each always to the same.
 * @throws InferenceError `invalid_request` with param `voice`, which lists the model's
 */
export function chooseVoice(voices: readonly Voice[], asked: string): string {
  const place = OPENAI_VOICES.indexOf(asked);
  const found = voices.find(({ id }) => id === asked) ?? (place < 0 ? undefined : voices[place % voices.length]);
  if (found) return found.id;
  const names = voices.slice(0, NAMED).map(({ id }) => `\`${id}\``);
  const message = `\`voice\` is not a voice of this model: it has ${names.join(', ')}. OpenAI's voice names work too.`;
  throw new InferenceError('invalid_request', message, { param: 'voice' });
}
