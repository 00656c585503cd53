/** Generation events as the lines of Ollama's streams; the whole answer is the collected lines. @module */
import type { GenerationEvent, GenerationUsage } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { completeObject, readObject } from '../fields/complete-object.js';
import { logprobEntries } from '../generation/completion-parts.js';
import { outputFailureError, type Render, unreadableCall } from '../generation/generate.js';

/** What a line adds to the answer. */
export interface Piece {
  content: string;
  thinking?: string;
  toolCalls?: object[];
}

/** A line, or all of them together. */
export interface Line {
  piece: Piece;
  logprobs?: object[];
  /** Only of the last one: why it ends, and what was counted and measured. */
  end?: Record<string, string | number>;
}

/** A call that is being written. */
interface OpenCall {
  id: string;
  name: string;
  index: number;
  json: string;
}

/** @param begun when the request came, in Unix milliseconds: from there on the whole duration counts */
export function renderLines(begun: number): Render<Line> {
  let call: OpenCall | undefined;
  let reason = 'stop';
  const giveCall = ({ id, index, name }: OpenCall, given: object, lines: Line[]): void => {
    call = undefined;
    lines.push({ piece: { content: '', toolCalls: [{ id, function: { index, name, arguments: given } }] } });
  };
  return (event: GenerationEvent, lines) => {
    switch (event.type) {
      case 'text-delta': {
        const { text, logprobs } = event;
        lines.push({ piece: { content: text }, ...(logprobs && { logprobs: logprobEntries(logprobs) }) });
        break;
      }
      case 'reasoning-delta':
        lines.push({ piece: { content: '', thinking: event.text } });
        break;
      case 'tool-call-start':
        call = { id: event.id, name: event.name, index: event.index, json: '' };
        break;
      case 'tool-call-delta':
        if (call) call.json += event.argumentsDelta;
        break;
      case 'tool-call-end': {
        const given = call && readObject(call.json);
        if (call && given) giveCall(call, given, lines);
        break;
      }
      case 'choice-finish': {
        const unreadable = unreadableCall(event.failure);
        if (unreadable) throw new InferenceError('internal', outputFailureError(unreadable).message);
        // Of a call that was cut there is what was written of it.
        if (call) giveCall(call, completeObject(call.json), lines);
        if (event.reason === 'length' || event.failure?.isCut) reason = 'length';
        break;
      }
      case 'finish':
        lines.push({ piece: { content: '' }, end: { done_reason: reason, ...measured(event.usage, begun) } });
        break;
      case 'start':
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        break;
    }
  };
}

/** Counts, and durations in whole nanoseconds. What passed before the engine began is the load: the queue is part of it. */
function measured(usage: GenerationUsage, begun: number): Record<string, number> {
  const loading = Math.max(0, usage.startTime - begun / 1000);
  return {
    total_duration: nanoseconds(loading) + nanoseconds(usage.endTime - usage.startTime),
    load_duration: nanoseconds(loading),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: nanoseconds(usage.timeToFirstToken ?? 0),
    eval_count: usage.completionTokens,
    eval_duration: nanoseconds(usage.timeAfterFirst ?? 0),
  };
}

export function nanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9);
}

/** All lines as one. */
export async function collectLines(batches: AsyncIterable<readonly Line[]>): Promise<Line> {
  const whole: Line = { piece: { content: '' } };
  const { piece } = whole;
  for await (const batch of batches) {
    for (const { piece: added, logprobs, end } of batch) {
      piece.content += added.content;
      if (added.thinking !== undefined) piece.thinking = (piece.thinking ?? '') + added.thinking;
      if (added.toolCalls) (piece.toolCalls ??= []).push(...added.toolCalls);
      if (logprobs) (whole.logprobs ??= []).push(...logprobs);
      if (end) whole.end = end;
    }
  }
  return whole;
}
