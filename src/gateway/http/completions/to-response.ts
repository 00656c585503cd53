/** The chunks of a text completion as one object: the non-streaming answer is the collected stream. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { CompletionChoice, CompletionLogprobs, CompletionObject } from './to-stream.js';
import { DONE } from './to-stream.js';

/** The whole completion, its choices in order. Throws what the batches throw. */
export async function toCompletion(
  batches: AsyncIterable<readonly (CompletionObject | typeof DONE)[]>,
): Promise<CompletionObject> {
  const choices: CompletionChoice[] = [];
  let last: CompletionObject | undefined;
  for await (const batch of batches) {
    for (const chunk of batch) {
      if (chunk === DONE) continue;
      last = chunk;
      for (const piece of chunk.choices) {
        const choice = choices[piece.index];
        if (choice) append(choice, piece);
        else choices[piece.index] = piece;
      }
    }
  }
  if (!last?.usage) throw new InferenceError('internal', 'The generation ended without a result.');
  return { ...last, choices };
}

function append(choice: CompletionChoice, piece: CompletionChoice): void {
  choice.text += piece.text;
  choice.finish_reason = piece.finish_reason;
  if (choice.logprobs && piece.logprobs) appendLogprobs(choice.logprobs, piece.logprobs);
  else choice.logprobs ??= piece.logprobs;
}

function appendLogprobs(logprobs: CompletionLogprobs, next: CompletionLogprobs): void {
  logprobs.tokens.push(...next.tokens);
  logprobs.token_logprobs.push(...next.token_logprobs);
  logprobs.top_logprobs.push(...next.top_logprobs);
  logprobs.text_offset.push(...next.text_offset);
  logprobs.content.push(...next.content);
}
