/** A collected generation as a text completion. @module */
import type { CollectedChoice, CollectedGeneration } from '../../channels/collect-generation.js';
import type { CompletionHead } from '../generation/completion-head.js';
import { usageObject } from '../generation/usage-object.js';
import { completionLogprobs, completionObject } from './completion-object.js';
import type { CompletionChoice, CompletionObject } from './completion-object.js';

/** The whole completion, its choices in order. */
export function toCompletion({ choices, usage }: CollectedGeneration, head: CompletionHead): CompletionObject {
  const rendered = choices.map(toChoice);
  const stopReason = rendered[0]?.finish_reason ?? 'stop';
  return { ...completionObject(head, rendered), usage: usageObject(usage, stopReason) };
}

function toChoice({ text, logprobs, reason }: CollectedChoice, index: number): CompletionChoice {
  return { index, text, logprobs: completionLogprobs(logprobs), finish_reason: finishReason(reason) };
}

/** Text completions call no tools. */
export function finishReason(reason: CollectedChoice['reason']): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop';
}
