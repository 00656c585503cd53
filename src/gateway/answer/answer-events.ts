/** The stage between models and dialects: parts of an answer in, paired blocks and measured facts out. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { PieceEvent, TokenEvent } from '../../core/events/token-event.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { ChoiceBlocks } from './choice-blocks.js';
import type { GenerationEvent } from './generation-event.js';
import { createUsageMeter, type UsageMeter } from './usage-meter.js';

export interface AnswerOptions {
  /** Unix milliseconds, never running backwards within a request. */
  clock: () => number;
  /** Unique ids of tool calls; see {@link createToolCallId}. */
  createId: () => string;
  /** When the request came, by `clock`. */
  startTime: number;
}

/** One generation on its way. Blocks come paired and in order, see {@link GenerationEvent}. */
export class AnswerEvents {
  readonly #model: string;
  readonly #choices: readonly ChoiceBlocks[];
  readonly #meter: UsageMeter;

  constructor(request: GenerationRequest, options: AnswerOptions) {
    const { createId } = options;
    this.#model = request.model;
    this.#choices = Array.from({ length: request.n }, (_, choice) => new ChoiceBlocks({ choice, request, createId }));
    this.#meter = createUsageMeter(options);
  }

  /**
   * What the model's next events mean; undefined: nothing.
   * @throws InferenceError `internal` for a choice that was not asked for
   */
  take(batch: readonly TokenEvent[]): GenerationEvent[] | undefined {
    const events: GenerationEvent[] = [];
    for (const event of batch) {
      if (event.type === 'piece') (this.#choices[event.choice] ?? noChoice()).token(event.parts, events);
      else this.#takeOther(event, events);
    }
    this.#meter.tokens(batch);
    return events.length > 0 ? events : undefined;
  }

  /** The last event, once the model has ended. */
  finish(): GenerationEvent[] {
    return [{ type: 'finish', usage: this.#meter.read() }];
  }

  #takeOther(event: Exclude<TokenEvent, PieceEvent>, events: GenerationEvent[]): void {
    if (event.type === 'prompt') {
      const { type: _, ...prompt } = event;
      this.#meter.prompt(prompt.promptTokens, prompt.cachedTokens);
      events.push({ type: 'start', model: this.#model, ...prompt });
    } else if (event.type === 'counts') {
      const { type: _, ...counts } = event;
      this.#meter.counts(counts);
    } else (this.#choices[event.choice] ?? noChoice()).end(event, events);
  }
}

function noChoice(): never {
  throw new InferenceError('internal', 'The engine sent a choice that the request did not ask for.');
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `call_` and 24 url-safe random characters (144 bits). */
export function createToolCallId(): string {
  let id = 'call_';
  for (const byte of crypto.getRandomValues(new Uint8Array(24))) id += ID_ALPHABET[byte & 63];
  return id;
}
