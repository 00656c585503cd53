/** The stage between models and dialects: parts of an answer in, paired blocks and measured facts out. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { CountsEvent, PieceEvent, TokenEvent } from '../../core/events/token-event.js';
import type { BegunChoice, GenerationRequest } from '../../core/request/generation-request.js';
import type { ResumeState, ChosenTokens } from './resume-state.js';
import { ChoiceBlocks } from './choice-blocks.js';
import type { GenerationEvent, GenerationUsage } from './generation-event.js';

export interface AnswerOptions {
  /** Unix milliseconds, never running backwards within a request. */
  clock: () => number;
  /** Unique ids of tool calls; see {@link createToolCallId}. */
  createId: () => string;
  /** When the request came, by `clock`. */
  startTime: number;
  /** Of the request's answer. */
  resumeState: ResumeState;
  /** What `resumeState` has of this generation. */
  chosen: ChosenTokens;
}

/** One choice on its way. */
interface AnswerChoice {
  blocks: ChoiceBlocks;
  /** Pieces that the current engine has given. */
  given: number;
  /** Pieces that were taken, from any engine. */
  taken: number;
  isOver: boolean;
}

/**
 * One generation on its way, the reader of a run (see `scheduler/run-on-slot.ts`). Blocks come paired and in order, see
 * {@link GenerationEvent}. One engine may begin it and another end it: what the second one gives again is not taken twice.
 */
export class AnswerEvents {
  readonly #model: string;
  readonly #choices: readonly AnswerChoice[];
  readonly #meter: UsageMeter;
  readonly #resumeState: ResumeState;
  readonly #chosen: ChosenTokens;
  #hasPrompt = false;

  constructor(request: GenerationRequest, options: AnswerOptions) {
    const { resumeState } = options;
    const createId = (): string => resumeState.replay('call', options.createId);
    this.#model = request.model;
    this.#resumeState = resumeState;
    this.#chosen = options.chosen;
    this.#choices = Array.from({ length: request.n }, (_, choice) => {
      return { blocks: new ChoiceBlocks({ choice, request, createId }), given: 0, taken: 0, isOver: false };
    });
    this.#meter = createUsageMeter(options);
  }

  /** Another engine can go on with it. */
  get isResumable(): boolean {
    return this.#resumeState.isResumable;
  }

  /** An engine begins. @returns what it must be told of the answer; undefined: nothing, it is the first */
  begin(): BegunChoice[] | undefined {
    for (const choice of this.#choices) choice.given = 0;
    const { choices } = this.#chosen;
    const isNew = choices.every(({ tokens, ended }) => tokens.length === 0 && !ended);
    return isNew ? undefined : choices.map(({ tokens, ended }) => ({ tokens: [...tokens], ended }));
  }

  /**
   * What the model's next events mean; undefined: nothing.
   * @throws InferenceError `internal` for a choice that was not asked for
   */
  push(batch: readonly TokenEvent[]): GenerationEvent[] | undefined {
    const events: GenerationEvent[] = [];
    const pieces: PieceEvent[] = [];
    for (const event of batch) {
      if (event.type !== 'piece') this.#takeOther(event, events);
      else if (this.#isNew(event)) {
        pieces.push(event);
        this.#choices[event.choice]!.blocks.token(event.parts, events);
      }
    }
    this.#meter.tokens(pieces);
    return events.length > 0 ? events : undefined;
  }

  /** The last event, once the model has ended. */
  finish(): GenerationEvent[] {
    return [{ type: 'finish', usage: this.#meter.read() }];
  }

  /** Whether no engine before this one gave the piece. Notes its token. */
  #isNew({ choice, token }: PieceEvent): boolean {
    const known = this.#choices[choice] ?? noChoice();
    known.given += 1;
    if (known.given <= known.taken) return false;
    known.taken = known.given;
    if (token === undefined) this.#chosen.markUnresumable();
    else if (known.taken > this.#chosen.choices[choice]!.tokens.length) this.#chosen.add(choice, token);
    return true;
  }

  #takeOther(event: Exclude<TokenEvent, PieceEvent>, events: GenerationEvent[]): void {
    if (event.type === 'prompt') {
      if (this.#hasPrompt) return;
      this.#hasPrompt = true;
      const { type: _, ...prompt } = event;
      const cachedTokens = this.#resumeState.replay('cached', () => prompt.cachedTokens);
      this.#meter.prompt(prompt.promptTokens, cachedTokens);
      events.push({ type: 'start', model: this.#model, ...prompt, cachedTokens });
    } else if (event.type === 'counts') {
      const { type: _, ...counts } = event;
      this.#chosen.markUnresumable();
      this.#meter.counts(counts);
    } else {
      const choice = this.#choices[event.choice] ?? noChoice();
      if (choice.isOver) return;
      choice.isOver = true;
      if (!this.#chosen.choices[event.choice]!.ended) this.#chosen.add(event.choice);
      choice.blocks.end(event, events);
    }
  }
}

function noChoice(): never {
  throw new InferenceError('internal', 'The engine sent a choice that was not requested.');
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `call_` and 24 url-safe random characters (144 bits). */
export function createToolCallId(): string {
  let id = 'call_';
  for (const byte of crypto.getRandomValues(new Uint8Array(24))) id += ID_ALPHABET[byte & 63];
  return id;
}

/** Counts tokens and takes times: all that usage says, unless the engine tells its own counts. */
type Counts = Omit<CountsEvent, 'type'>;

interface UsageMeter {
  prompt(promptTokens: number, cachedTokens: number): void;
  /** These tokens came together, now. */
  tokens(pieces: readonly PieceEvent[]): void;
  /** The engine's own counts, which replace what was counted here. */
  counts(counts: Counts): void;
  /** The facts so far; `endTime` is now. */
  read(): GenerationUsage;
}

/** The first token and the ten after it. */
const FIRST_TEN = 11;

/** @param options.clock Unix milliseconds. @param options.startTime when the request came, by the same clock */
function createUsageMeter({ clock, startTime }: { clock: () => number; startTime: number }): UsageMeter {
  let promptTokens = 0;
  let cachedTokens = 0;
  let completionTokens = 0;
  let reasoningTokens = 0;
  let firstAt = 0;
  let eleventhAt = 0;
  let lastAt = 0;
  let reported: Counts | undefined;

  return {
    prompt(all, cached) {
      promptTokens = all;
      cachedTokens = cached;
    },
    tokens(pieces) {
      if (pieces.length === 0) return;
      for (const { isReasoning } of pieces) if (isReasoning) reasoningTokens += 1;
      // Read once: between tokens that came together there is only the time that counting takes.
      lastAt = clock();
      if (completionTokens === 0) firstAt = lastAt;
      if (completionTokens < FIRST_TEN) eleventhAt = lastAt;
      completionTokens += pieces.length;
    },
    counts(counts) {
      reported = counts;
    },
    read() {
      const counts = reported ?? { promptTokens, cachedTokens, completionTokens, reasoningTokens };
      const span = { startTime: startTime / 1000, endTime: Math.max(startTime, clock()) / 1000 };
      if (completionTokens === 0) return { ...counts, ...span };
      return {
        ...counts,
        ...span,
        timeToFirstToken: seconds(startTime, firstAt),
        timeAfterFirst: seconds(firstAt, lastAt),
        timeFirstTen: seconds(firstAt, eleventhAt),
      };
    },
  };
}

function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
