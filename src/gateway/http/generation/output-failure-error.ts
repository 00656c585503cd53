/** A finished choice that is not what was asked for, as an error. @module */
import type { GenerationEvent, OutputFailure } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';

const MESSAGES: Record<OutputFailure['type'], string> = {
  'structured-output': 'The structured output is incomplete: generation ended before the JSON did.',
  'tool-call': 'A tool call is incomplete: generation ended before its arguments did.',
  'tool-choice': 'The model did not call a function as `tool_choice` demands.',
};

/** `model_output_invalid` with the raw text, or `tool_choice_unsatisfied`. */
export function outputFailureError(failure: OutputFailure): InferenceError {
  const message = MESSAGES[failure.type];
  if (failure.type === 'tool-choice')
    return new InferenceError('tool_choice_unsatisfied', message, { param: 'tool_choice' });
  return new InferenceError('model_output_invalid', message, { modelOutput: failure.rawOutput });
}

/** How a choice ended. */
export type ChoiceEnd = Pick<Extract<GenerationEvent, { type: 'choice-finish' }>, 'reason' | 'failure'>;

/** The error that chat completions owe for a choice; undefined when it is an answer, be it one that was cut. */
export function choiceError({ failure }: ChoiceEnd, { cutOutput }: Compatibility): InferenceError | undefined {
  if (!failure || (failure.isCut && cutOutput === 'length')) return undefined;
  return outputFailureError(failure);
}
