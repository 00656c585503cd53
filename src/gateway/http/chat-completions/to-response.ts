/** A collected answer as a chat completion. @module */
import type { CollectedChoice, CollectedGeneration } from '../../answer/collect-generation.js';
import type { Compatibility } from '../compatibility.js';
import { customInput } from '../fields/custom-tool.js';
import { finishReason, logprobsObject, usageObject } from '../generation/completion-parts.js';
import type { CompletionHead } from '../generation/completion-parts.js';
import { choiceError } from '../generation/generate.js';

/** What a completion depends on besides the answer. */
export interface ResponseOptions {
  hasLogprobs: boolean;
  compatibility: Compatibility;
  /** Names of the free-text tools. */
  customTools: ReadonlySet<string>;
}

/** @throws InferenceError `model_output_invalid` or `tool_choice_unsatisfied` when a choice is not what was asked for */
export function toResponse(
  answer: CollectedGeneration,
  head: CompletionHead,
  options: ResponseOptions,
): Record<string, unknown> {
  for (const choice of answer.choices) {
    const error = choiceError(choice, options.compatibility);
    if (error) throw error;
  }
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    system_fingerprint: head.systemFingerprint,
    choices: answer.choices.map((choice, index) => choiceObject(choice, index, options)),
    usage: usageObject(answer.usage, finishReason(answer.choices[0] ?? { reason: 'stop' })),
  };
}

function choiceObject(
  choice: CollectedChoice,
  index: number,
  { hasLogprobs, customTools }: ResponseOptions,
): Record<string, unknown> {
  const toolCalls = choice.toolCalls.map(({ id, name, arguments: text }) =>
    customTools.has(name)
      ? { id, type: 'custom', custom: { name, input: customInput(text) } }
      : { id, type: 'function', function: { name, arguments: text } },
  );
  // Without calls the content is a string, even an empty one; only calls may come without any.
  const content = choice.text === '' && toolCalls.length > 0 ? null : choice.text;
  return {
    index,
    message: {
      role: 'assistant',
      content,
      refusal: null,
      ...(choice.reasoning && { reasoning: choice.reasoning }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    logprobs: hasLogprobs ? logprobsObject(choice.logprobs ?? []) : null,
    finish_reason: finishReason(choice),
  };
}
