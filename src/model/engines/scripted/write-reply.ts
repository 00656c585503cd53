/** A scripted reply in the raw syntax of a model family, as a real model would write it. @module */
import { type AnswerFormats, answerSyntax } from '../../families/answer-syntax.js';
import type { ScriptedReply } from '../../../core/models/model-entry.js';
import { type GenerationRequest, offersTools } from '../../../core/request/generation-request.js';

/**
 * Reasoning is written when the request enables thinking, calls when it offers tools and does not forbid calls; a raw
 * prompt gets the text alone.
 */
export function writeReply(reply: ScriptedReply, request: GenerationRequest, formats: AnswerFormats): string {
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);
  if (request.prompt.type !== 'chat') return text;
  const { tools, reasoning } = answerSyntax(formats);
  const thought = thinks(request) ? (reply.reasoning ?? '') : '';
  const calls = offersTools(request) ? (reply.toolCalls ?? []) : [];
  return reasoning.write(thought, text, calls.length > 0 ? tools.write(calls) : '');
}

function thinks({ reasoning, templateArguments }: GenerationRequest): boolean {
  return reasoning.enabled ?? templateArguments.enable_thinking === true;
}
