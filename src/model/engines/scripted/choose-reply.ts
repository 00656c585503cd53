/** Which of a script's replies answers a request. @module */
import type { Script, ScriptedReply } from '../../../core/models/model-entry.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import { textOf } from '../../../core/request/message.js';

/**
 * The first reply whose `match` is contained in the text of the last message, whatever its role (of a raw prompt: in
 * the prompt); else the first without `match`; else an empty reply, which ends at once.
 * @param promptText the prompt as the model reads it
 */
export function chooseReply({ replies }: Script, { prompt }: GenerationRequest, promptText: string): ScriptedReply {
  const last = prompt.type === 'chat' ? textOf(prompt.messages.at(-1)?.content ?? []) : promptText;
  return (
    replies.find(({ match }) => match !== undefined && last.includes(match)) ??
    replies.find(({ match }) => match === undefined) ??
    {}
  );
}
