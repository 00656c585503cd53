/** What the interfaces that work on one text at a time have in common. Nothing is left of a call for the next. @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import { notSupported, quotaExceeded, TooLong } from './interface-error.js';
import { dictionary, textOf } from './idl.js';
import { checkConstructor, type Lifetime, streamOf } from './lifetime.js';
import type { Availability, Service } from './service.js';
import { TokenCounter } from './token-counter.js';
import type { ChatMessage } from './turn.js';

/** A chat model, and what it is asked through. */
export interface TaskModel {
  service: Service;
  /** Catalog id. */
  model: string;
  counter: TokenCounter;
}

export function taskModel(service: Service, model: string): TaskModel {
  return { service, model, counter: new TokenCounter(service, model) };
}

interface Chunk {
  choices: { delta: { content?: string | null }; logprobs?: { content: TokenLogprobs[] | null } | null }[];
}

/** The likeliest tokens at one place of an answer. */
export interface TokenLogprobs {
  top_logprobs: { token: string; logprob: number }[];
}

/** How one interface is asked. */
export interface TaskKind<Options> {
  /** @throws TypeError or RangeError */
  read(options: Record<string, unknown>): Options;
  /** Whether its model can do it. */
  canServe(options: Options): boolean;
  /** What the system message says. */
  task(options: Options, context?: string): string;
}

/** Where an object of the interfaces has its work. */
export const WORK = Symbol('work');

/** An interface whose objects do one thing. */
export interface TaskClass<Options> {
  new (key?: unknown, work?: TextWork<Options>): TaskObject<Options>;
  availability(options?: unknown): Promise<Availability>;
  create(options?: unknown): Promise<object>;
}

/** What the objects of all of them have. */
interface TaskObject<Options> {
  readonly [WORK]: TextWork<Options>;
  readonly inputQuota: number;
  measureInputUsage(input: unknown, options?: unknown): Promise<number>;
  destroy(): void;
}

/** A class of objects that tell their options, to which an interface adds its methods. */
export function taskClass<Options extends object>(on: TaskModel, kind: TaskKind<Options>): TaskClass<Options> {
  return class Task implements TaskObject<Options> {
    declare readonly [WORK]: TextWork<Options>;

    constructor(key?: unknown, work?: TextWork<Options>) {
      checkConstructor(key);
      Object.defineProperty(this, WORK, { value: work });
      Object.assign(this, work!.options);
    }

    static async availability(options?: unknown): Promise<Availability> {
      const read = kind.read(dictionary(options));
      return kind.canServe(read) ? on.service.availability(on.model) : 'unavailable';
    }

    static async create(options?: unknown): Promise<object> {
      const given = dictionary(options);
      const read = kind.read(given);
      if (!kind.canServe(read)) throw notSupported('The model is not there for these languages or options.');
      return on.service.create(on.model, given, async (lifetime, key) => {
        const { counter } = on;
        const [contextWindow, taskCost] = await Promise.all([
          counter.contextWindow(),
          counter.measure({ role: 'system', content: kind.task(read) }),
        ]);
        const quota = contextWindow - taskCost;
        if (quota <= 0) throw quotaExceeded(taskCost, contextWindow);
        return new this(key, new TextWork(on, kind, { lifetime, quota, taskCost, options: read }));
      });
    }

    get inputQuota(): number {
      return this[WORK].quota;
    }

    async measureInputUsage(input: unknown, options?: unknown): Promise<number> {
      return this[WORK].measure(textOf(input), options);
    }

    destroy(): void {
      this[WORK].end();
    }
  };
}

/** What an object works with. */
interface Work<Options> {
  lifetime: Lifetime;
  /** Tokens that an input may have. */
  quota: number;
  /** Tokens of the task itself. */
  taskCost: number;
  options: Options;
}

class TextWork<Options> {
  readonly #on: TaskModel;
  readonly #kind: TaskKind<Options>;
  readonly #work: Work<Options>;

  constructor(on: TaskModel, kind: TaskKind<Options>, work: Work<Options>) {
    this.#on = on;
    this.#kind = kind;
    this.#work = work;
  }

  get options(): Options {
    return this.#work.options;
  }

  get quota(): number {
    return this.#work.quota;
  }

  end(): void {
    this.#work.lifetime.end();
  }

  measure(text: string, options: unknown): Promise<number> {
    const signal = this.#work.lifetime.during(options);
    return orAborted(this.#measure(text, contextOf(options)), signal);
  }

  /** The whole answer; `blank` for an input of white space, about which no one is asked. */
  async answer(input: unknown, options: unknown, blank: (text: string) => string): Promise<string> {
    const signal = this.#work.lifetime.during(options);
    const text = textOf(input);
    if (text.trim() === '') return blank(text);
    let answer = '';
    for await (const { choices } of this.#ask(text, options, signal)) answer += choices[0]?.delta.content ?? '';
    return answer;
  }

  answerStreaming(input: unknown, options: unknown, blank: (text: string) => string): ReadableStream<string> {
    const text = textOf(input);
    const chunks = (signal: AbortSignal): AsyncGenerator<Chunk> => this.#ask(text, options, signal);
    return streamOf(this.#work.lifetime, options, async function* (signal) {
      if (text.trim() === '') {
        if (blank(text) !== '') yield blank(text);
        return;
      }
      for await (const { choices } of chunks(signal)) {
        const piece = choices[0]?.delta.content;
        if (piece) yield piece;
      }
    });
  }

  /** The likeliest first tokens of the answer; undefined for white space. */
  async firstTokens(input: unknown, options: unknown): Promise<TokenLogprobs | undefined> {
    const signal = this.#work.lifetime.during(options);
    const text = textOf(input);
    if (text.trim() === '') return undefined;
    const fields = { max_tokens: 1, logprobs: true, top_logprobs: 20 };
    for await (const { choices } of this.#ask(text, options, signal, fields)) {
      const [first] = choices[0]?.logprobs?.content ?? [];
      if (first) return first;
    }
    return undefined;
  }

  async *#ask(text: string, options: unknown, signal: AbortSignal, fields: object = {}): AsyncGenerator<Chunk> {
    const { service, model } = this.#on;
    const context = contextOf(options);
    const used = await orAborted(this.#measure(text, context), signal);
    const { quota } = this.#work;
    if (used > quota) throw quotaExceeded(used, quota);
    const messages: ChatMessage[] = [
      { role: 'system', content: this.#kind.task(this.#work.options, context) },
      { role: 'user', content: text },
    ];
    try {
      yield* service.stream<Chunk>('/chat/completions', { model, messages, ...fields }, signal);
    } catch (thrown) {
      throw thrown instanceof TooLong ? quotaExceeded(Math.max(used, quota + 1), quota) : thrown;
    }
  }

  async #measure(text: string, context: string | undefined): Promise<number> {
    const { counter } = this.#on;
    const input = await counter.measure({ role: 'user', content: text });
    if (context === undefined) return input;
    const task = await counter.measure({ role: 'system', content: this.#kind.task(this.#work.options, context) });
    return input + Math.max(0, task - this.#work.taskCost);
  }
}

function contextOf(options: unknown): string | undefined {
  const { context } = dictionary(options);
  return context === undefined || textOf(context) === '' ? undefined : textOf(context);
}
