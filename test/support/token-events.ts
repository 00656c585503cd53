/** Reading what a model gives, one event after the other. @module */
import { AnswerEvents, type AnswerOptions, createToolCallId } from '../../src/service/answer/answer-events.js';
import { ResumeState } from '../../src/service/answer/resume-state.js';
import { type CollectedGeneration, collectGeneration } from '../../src/service/answer/collect-generation.js';
import type { GenerationEvent } from '../../src/service/answer/generation-event.js';
import type { PieceEvent, TokenEvent, TokenLogprob } from '../../src/core/events/token-event.js';
import type { GenerationRequest } from '../../src/core/request/generation-request.js';

type Batches<Event> = AsyncIterable<readonly Event[]>;

/** The events one by one. */
export async function* oneByOne<Event>(batches: Batches<Event>): AsyncGenerator<Event, void, undefined> {
  for await (const batch of batches) yield* batch;
}

/** All events. */
export async function collectEvents<Event>(batches: Batches<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

/** What dialects get of it. */
export async function* interpret(
  batches: Batches<TokenEvent>,
  request: GenerationRequest,
  options: Partial<AnswerOptions> = {},
): AsyncGenerator<GenerationEvent> {
  const clock = options.clock ?? (() => performance.now());
  const startTime = options.startTime ?? clock();
  const record = new ResumeState();
  const chosen = record.beginGeneration(request.n);
  const answer = new AnswerEvents(request, {
    createId: createToolCallId,
    resumeState: record,
    chosen,
    ...options,
    startTime,
    clock,
  });
  for await (const batch of batches) yield* answer.push(batch) ?? [];
  yield* answer.finish();
}

/** The whole answer. */
export function collectAnswer(events: AsyncIterable<GenerationEvent>): Promise<CollectedGeneration> {
  return collectGeneration(
    (async function* () {
      for await (const event of events) yield [event];
    })(),
  );
}

/** The pieces of a generation. */
export function piecesOf(events: readonly TokenEvent[]): PieceEvent[] {
  return events.filter((event) => event.type === 'piece');
}

/** What a choice said, without its thinking and its calls. */
export function textOf(events: readonly TokenEvent[], choice = 0): string {
  return partsOf(events, choice)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** The log-probabilities of what a choice said. */
export function logprobsOf(events: readonly TokenEvent[], choice = 0): TokenLogprob[] {
  return partsOf(events, choice).flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
}

/** The end of a choice. */
export function endOf(events: readonly TokenEvent[], choice = 0) {
  return events.find((event) => event.type === 'end' && event.choice === choice);
}

/** What each token said. */
export function saidBy(pieces: readonly PieceEvent[]): string[] {
  return pieces.map((piece) => textOf([piece], piece.choice));
}

/** The parts of a choice in their order. */
export function partsOf(events: readonly TokenEvent[], choice = 0) {
  return events.flatMap((event) => ('parts' in event && event.choice === choice ? event.parts : []));
}
