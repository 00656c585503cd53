/** The prompt before the text of each choice. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { GenerationEvent } from '../../answer/generation-event.js';
import type { Render } from '../generation/generate.js';

/**
 * The same events with a block of text before each choice's own: the prompt. Throws InferenceError `invalid_request` when
 * the prompt came as token ids and its model knows no text of them.
 */
export function echoPrompt({ prompt, n }: GenerationRequest): Render<GenerationEvent> {
  return (event, events) => {
    events.push(event);
    if (event.type !== 'start') return;
    const text = prompt.type === 'raw' ? prompt.text : event.promptText;
    if (text === undefined) {
      throw new InferenceError('invalid_request', '`echo` needs a prompt of text for this model.', { param: 'echo' });
    }
    for (let choice = 0; choice < n; choice += 1) {
      events.push({ type: 'text-start', choice }, { type: 'text-delta', choice, text }, { type: 'text-end', choice });
    }
  };
}
