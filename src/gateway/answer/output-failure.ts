/** Is a finished choice what was asked for? @module */
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { OutputFailure } from './generation-event.js';

/** What is known of a choice when it has ended. */
export interface FinishedChoice {
  /** All its text, tags included. */
  rawOutput: string;
  /** Its content. */
  text: string;
  /** `arguments` is JSON text; `complete` is false when the call never ended. */
  toolCalls: readonly { name: string; arguments: string; complete: boolean }[];
  /** The end came inside a call that had not yet been given out. */
  cutBeforeCall: boolean;
  reason: 'stop' | 'length';
  /** The stop sequence that ended it. */
  stopSequence?: string;
}

/**
 * The first reason why the choice must not count as an answer, or undefined when it is one. What a stop sequence ended
 * is the answer that was asked for, however unfinished.
 */
export function findOutputFailure(request: GenerationRequest, choice: FinishedChoice): OutputFailure | undefined {
  const type = failureType(request, choice);
  return type && { type, rawOutput: choice.rawOutput, isCut: choice.reason === 'length' };
}

function failureType(request: GenerationRequest, choice: FinishedChoice): OutputFailure['type'] | undefined {
  const { toolCalls, reason } = choice;
  if (choice.stopSequence !== undefined) return undefined;
  if (choice.cutBeforeCall) return 'tool-call';
  if (toolCalls.some((call) => !call.complete || !isJsonObject(call.arguments))) return 'tool-call';
  if (!choiceSatisfied(request, toolCalls)) {
    // The cap, not the model, kept a required call from coming.
    return reason === 'length' && toolCalls.length === 0 ? 'tool-call' : 'tool-choice';
  }
  if (request.output.type === 'text' || toolCalls.length > 0) return undefined;
  const valid = request.output.type === 'json-object' ? isJsonObject(choice.text) : isJson(choice.text);
  return valid ? undefined : 'structured-output';
}

function choiceSatisfied({ toolChoice, tools }: GenerationRequest, calls: readonly { name: string }[]): boolean {
  if (tools.length === 0 || toolChoice === 'auto' || toolChoice === 'none') return true;
  if (calls.length === 0) return false;
  return toolChoice === 'required' || calls.every((call) => call.name === toolChoice.name);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
