/** `LanguageModel` on a chat model of the page. @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import { Conversation, type ConversationSettings, type Draft } from './conversation.js';
import { notSupported } from './interface-error.js';
import { listOf } from './idl.js';
import { checkConstructor, CONSTRUCTOR, Lifetime, streamOf } from './lifetime.js';
import { PieceQueue } from './piece-queue.js';
import { type InputMessage, readInput, toMessages } from './prompt-input.js';
import { type Constraint, readConstraint } from './response-constraint.js';
import { DEFAULTS, MAX_TEMPERATURE, MAX_TOP_K } from './sampling-options.js';
import type { Availability } from './service.js';
import { canSee, canServe, readSessionOptions, type SessionOptions } from './session-options.js';
import type { TaskModel } from './text-task.js';
import { answer, toCallPart } from './tool-rounds.js';
import type { ChatMessage, Turn } from './turn.js';

/** What a session is made of. */
interface Made {
  lifetime: Lifetime;
  core: SessionOptions;
  settings: ConversationSettings;
  turns: readonly Turn[];
}

type Handler = ((event: Event) => void) | null;

interface CallOptions {
  signal?: AbortSignal;
  responseConstraint?: unknown;
  omitResponseConstraintInput?: unknown;
}

/** What a prompt asks. */
interface Asked {
  messages: readonly InputMessage[];
  constraint: Constraint | undefined;
  /** The model is told of the constraint. */
  isTold: boolean;
}

/** @throws TypeError */
function checkCount(count: number): void {
  if (count === 0) throw new TypeError('An input is required.');
}

/** @throws TypeError */
function checkSystem([first]: readonly InputMessage[], { turns }: Draft): void {
  if (first?.role === 'system' && turns.length > 0)
    throw new TypeError('The system message must be the first of the conversation.');
}

/** Tells the model of the constraint, behind the last thing that the user says. */
function tell(messages: ChatMessage[], { text }: Constraint): void {
  const last = messages.findLast(({ role }) => role === 'user');
  if (!last)
    messages.splice(messages.at(-1)?.role === 'assistant' ? -1 : messages.length, 0, { role: 'user', content: text });
  else if (typeof last.content === 'string') last.content += `\n\n${text}`;
  else last.content.push({ type: 'text', text: `\n\n${text}` });
}

/** The same member under the name that it had earlier. */
function alias(prototype: object, earlier: string, name: string): void {
  Object.defineProperty(prototype, earlier, Object.getOwnPropertyDescriptor(prototype, name)!);
}

/** The class for one installation. */
export function createLanguageModel({ service, model, counter }: TaskModel): typeof EventTarget {
  class LanguageModel extends EventTarget {
    readonly #made: Made;
    readonly #conversation: Conversation;
    #onOverflow: Handler = null;

    constructor(key?: unknown, made?: Made) {
      checkConstructor(key);
      super();
      this.#made = made!;
      this.#conversation = new Conversation(made!.settings, made!.turns, () => {
        for (const name of ['contextoverflow', 'quotaoverflow']) this.dispatchEvent(new Event(name));
      });
      this.addEventListener('contextoverflow', (event) => this.#onOverflow?.call(this, event));
    }

    static async availability(options?: unknown): Promise<Availability> {
      const core = readSessionOptions(options);
      const canAll = canServe(core, service) && (await canSee(core, service, model));
      return canAll ? service.availability(model) : 'unavailable';
    }

    static async params(): Promise<object> {
      return {
        defaultTopK: DEFAULTS.topK,
        maxTopK: MAX_TOP_K,
        defaultTemperature: DEFAULTS.temperature,
        maxTemperature: MAX_TEMPERATURE,
      };
    }

    static async create(options: Record<string, unknown> = {}): Promise<LanguageModel> {
      const core = readSessionOptions(options);
      const { initialPrompts } = options;
      const input =
        initialPrompts === undefined ? [] : readInput(listOf(initialPrompts, 'initialPrompts'), core.inputs);
      if (!canServe(core, service)) throw notSupported('The model cannot what is expected of it.');
      return service.create(model, options, async (lifetime, key) => {
        // Only now it is known for certain whether the model sees.
        if (!(await canSee(core, service, model))) throw notSupported('The model does not accept images.');
        const [contextWindow, baseCost] = await Promise.all([
          counter.contextWindow(),
          counter.measureTools(core.tools.offered),
        ]);
        const settings = { counter, contextWindow, baseCost };
        const conversation = new Conversation(settings, [], () => {});
        await conversation.run(lifetime.signal, async (draft) => draft.add(await toMessages(input, service)));
        return new LanguageModel(key, { lifetime, core, settings, turns: conversation.turns });
      });
    }

    async prompt(input: unknown, options: CallOptions = {}): Promise<string | object[]> {
      checkCount(arguments.length);
      const asked = this.#read(input, options);
      const signal = this.#made.lifetime.during(options);
      const { asParts } = this.#made.core.tools;
      const parts: object[] = [];
      let text = '';
      for await (const piece of this.#answer(asked, signal)) {
        if (typeof piece === 'string') text += piece;
        else parts.push(piece);
      }
      if (!asParts) return text;
      return text === '' && parts.length > 0 ? parts : [{ type: 'text', value: text }, ...parts];
    }

    promptStreaming(input: unknown, options: CallOptions = {}): ReadableStream<string | object[]> {
      checkCount(arguments.length);
      const asked = this.#read(input, options);
      this.#made.lifetime.signal.throwIfAborted();
      const { asParts } = this.#made.core.tools;
      const answered = (signal: AbortSignal): AsyncGenerator<string | object> => this.#answer(asked, signal);
      return streamOf(this.#made.lifetime, options, async function* (signal) {
        for await (const piece of answered(signal)) {
          if (!asParts) yield piece as string;
          else yield [typeof piece === 'string' ? { type: 'text', value: piece } : piece];
        }
      });
    }

    async append(input: unknown, options: CallOptions = {}): Promise<void> {
      checkCount(arguments.length);
      const messages = readInput(input, this.#made.core.inputs);
      const signal = this.#made.lifetime.during(options);
      await this.#conversation.run(signal, async (draft) => {
        checkSystem(messages, draft);
        await draft.add(await toMessages(messages, service));
      });
    }

    async measureContextUsage(input: unknown, options: CallOptions = {}): Promise<number> {
      checkCount(arguments.length);
      const { messages, constraint, isTold } = this.#read(input, options);
      const signal = this.#made.lifetime.during(options);
      const measure = async (): Promise<number> => {
        const turns = await toMessages(messages, service);
        if (constraint && isTold) tell(turns, constraint);
        const costs = await Promise.all(turns.map((turn) => counter.measure(turn)));
        return costs.reduce((sum, cost) => sum + cost, 0);
      };
      return orAborted(measure(), signal);
    }

    async clone(options: CallOptions = {}): Promise<LanguageModel> {
      const signal = this.#made.lifetime.during(options);
      const turns = await this.#conversation.run(signal, async (draft) => draft.turns);
      const lifetime = new Lifetime(service.lifetimes, options.signal);
      return new LanguageModel(CONSTRUCTOR, { ...this.#made, lifetime, turns });
    }

    destroy(): void {
      this.#made.lifetime.end();
    }

    get contextUsage(): number {
      return this.#conversation.usage;
    }

    get contextWindow(): number {
      return this.#made.settings.contextWindow;
    }

    get samplingMode(): string | null {
      return this.#made.core.sampling.mode;
    }

    get temperature(): number | null {
      return this.#made.core.sampling.temperature;
    }

    get topK(): number | null {
      return this.#made.core.sampling.topK;
    }

    get oncontextoverflow(): Handler {
      return this.#onOverflow;
    }

    set oncontextoverflow(handler: Handler) {
      this.#onOverflow = typeof handler === 'function' ? handler : null;
    }

    #read(input: unknown, { responseConstraint, omitResponseConstraintInput }: CallOptions): Asked {
      const constraint = readConstraint(responseConstraint);
      const isOmitted = Boolean(omitResponseConstraintInput);
      if (isOmitted && !constraint) throw new TypeError('`omitResponseConstraintInput` needs a `responseConstraint`.');
      return { messages: readInput(input, this.#made.core.inputs), constraint, isTold: !isOmitted };
    }

    /** Pieces of the answer: texts, and calls as parts. */
    async *#answer({ messages, constraint, isTold }: Asked, signal: AbortSignal): AsyncGenerator<string | object> {
      const { core } = this.#made;
      const pieces = new PieceQueue<string | object>();
      const prefixed = messages.at(-1)?.prefix === true;
      const finished = this.#conversation.run(signal, async (draft) => {
        checkSystem(messages, draft);
        const read = await toMessages(messages, service);
        const prefix = prefixed ? (read.at(-1)!.content as string) : '';
        if (constraint && isTold) tell(read, constraint);
        const begun = prefixed ? (constraint?.begun(prefix) ?? prefix) : undefined;
        await draft.add(begun === undefined ? read : [...read.slice(0, -1), { role: 'assistant', content: begun }]);
        const asking = { service, model, sampling: core.sampling.fields, tools: core.tools, constraint, begun, signal };
        let written = '';
        let calls = 0;
        for await (const piece of answer(draft, asking)) {
          if ('calls' in piece) {
            for (const call of piece.calls) pieces.push(toCallPart(call));
            calls += piece.calls.length;
          } else {
            written += piece.text;
            if (!constraint?.isWrapped) pieces.push(piece.text);
          }
        }
        if (!constraint || calls > 0) return;
        const text = constraint.read(written, prefix);
        if (!constraint.isWrapped) return;
        const last = draft.turns.pop()!;
        await draft.answered({ ...last.message, content: prefix + text });
        pieces.push(text);
      });
      yield* pieces.until(finished);
    }
  }

  alias(LanguageModel.prototype, 'measureInputUsage', 'measureContextUsage');
  alias(LanguageModel.prototype, 'inputUsage', 'contextUsage');
  alias(LanguageModel.prototype, 'inputQuota', 'contextWindow');
  alias(LanguageModel.prototype, 'onquotaoverflow', 'oncontextoverflow');
  return LanguageModel;
}
