/** The prompt before the text of each choice. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';

/**
 * The same events with a block of text before each choice's own: the prompt.
 * @throws InferenceError `invalid_request` when the prompt came as token ids and its model knows no text of them
 */
export async function* echoPrompt(
  events: AsyncIterable<GenerationEvent>,
  { prompt, n }: GenerationRequest,
): AsyncGenerator<GenerationEvent> {
  for await (const event of events) {
    yield event;
    if (event.type !== 'start') continue;
    const text = prompt.type === 'raw' ? prompt.text : event.promptText;
    if (text === undefined) {
      throw new InferenceError('invalid_request', '`echo` needs a prompt of text for this model.', { param: 'echo' });
    }
    for (let choice = 0; choice < n; choice += 1) {
      yield { type: 'text-start', choice };
      yield { type: 'text-delta', choice, text };
      yield { type: 'text-end', choice };
    }
  }
}
