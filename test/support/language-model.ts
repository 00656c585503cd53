/**
 * A stand-in of the browser's `LanguageModel`, written after its public IDL and explainer
 * (https://webmachinelearning.github.io/prompt-api/): what it checks, throws, counts and forgets, under the names of both
 * generations. A token is a word, and each turn costs two more.
 */
import type { Availability } from '../../src/engines/built-in/create-session.js';
import type {
  LanguageModelFactory,
  LanguageModelSession,
  PromptMessage,
  PromptSettings,
} from '../../src/engines/built-in/language-model.js';

export interface StandInOptions {
  /** Names of `measureInputUsage`, `inputQuota` and their like, and sessions that can neither append nor clone. */
  isEarly?: boolean;
  /** Tokens. @default 400 */
  window?: number;
  availability?: Availability;
  /** Kinds of content besides text. */
  takes?: string[];
  /** What it says; default: a sentence of twelve words. An error ends the answer where it stands in the list of pieces. */
  reply?: (turns: readonly PromptMessage[], settings: PromptSettings, count: number) => string | (string | Error)[];
}

/** What a test sees and moves. */
export interface StandIn {
  factory: LanguageModelFactory;
  /** Changes what the browser says from now on. */
  availability: Availability;
  /** Clicks that have not been used. What a test's driver evaluates counts as a gesture, so real activation tells nothing. */
  clicks: number;
  created: number;
  cloned: number;
  open: Set<LanguageModelSession>;
  mostOpen: number;
  prompts: { turns: PromptMessage[]; settings: PromptSettings; pieces: number }[];
  /** Ends all sessions, as an update of the model does. */
  update(): void;
  /** Tells a share of the download; 1 ends it. */
  download(share: number): void;
  /** The next call of this method throws it. */
  failures: { create?: Error; clone?: Error; append?: Error; prompt?: Error };
}

/** Needs nothing from outside itself, so that it can be sent to a page as text. */
export function createLanguageModel(options: StandInOptions = {}): StandIn {
  const { isEarly = false, window: contextWindow = 400, takes = [] } = options;
  const reply = options.reply ?? (() => 'I am the model that this browser has, and I say twelve words.');
  const thrown = (name: string, message = name): Error => new DOMException(message, name);
  const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];
  const partsOf = ({ content }: PromptMessage): { type: string; value: unknown }[] =>
    typeof content === 'string' ? [{ type: 'text', value: content }] : content;
  const cost = (turns: readonly PromptMessage[]): number =>
    turns.reduce(
      (sum, turn) =>
        sum +
        2 +
        partsOf(turn).reduce(
          (all, { type, value }) => all + (type === 'text' ? (String(value).match(/\S+/g)?.length ?? 0) : 20),
          0,
        ),
      0,
    );
  let finishDownload: (() => void) | undefined;
  let monitored: EventTarget | undefined;

  const check = (turns: readonly PromptMessage[], mayBeSystem: boolean, expected: string[]): void => {
    for (const [place, turn] of turns.entries()) {
      if (!['system', 'user', 'assistant'].includes(turn.role)) throw new TypeError('No such role.');
      if (turn.role === 'system' && !(place === 0 && mayBeSystem))
        throw new TypeError('The system prompt comes first.');
      if (turn.prefix && (turn.role !== 'assistant' || place < turns.length - 1)) throw thrown('SyntaxError');
      for (const { type } of partsOf(turn))
        if (type !== 'text' && !expected.includes(type)) throw thrown('NotSupportedError');
    }
  };

  class Session extends EventTarget {
    turns: PromptMessage[];
    destroyed = false;
    readonly expected: string[];

    constructor(turns: PromptMessage[], expected: string[]) {
      super();
      this.turns = turns;
      this.expected = expected;
      standIn.open.add(this);
      standIn.mostOpen = Math.max(standIn.mostOpen, standIn.open.size);
      const used = (): number => cost(this.turns);
      const measured = async (input: PromptMessage[], settings: PromptSettings = {}): Promise<number> => {
        this.use(settings.signal);
        check(input, true, this.expected);
        return cost(input);
      };
      const [usage, size, measuring] = isEarly
        ? ['inputUsage', 'inputQuota', 'measureInputUsage']
        : ['contextUsage', 'contextWindow', 'measureContextUsage'];
      Object.defineProperty(this, usage, { get: used });
      Object.defineProperty(this, size, { value: contextWindow });
      Object.defineProperty(this, measuring, { value: measured });
      if (isEarly) return;
      Object.assign(this, {
        clone: async ({ signal }: PromptSettings = {}) => {
          this.use(signal);
          fail('clone');
          standIn.cloned += 1;
          return new Session([...this.turns], this.expected);
        },
        append: async (input: PromptMessage[], { signal }: PromptSettings = {}) => {
          this.use(signal);
          fail('append');
          this.take(input);
        },
      });
    }

    use(signal: AbortSignal | undefined): void {
      signal?.throwIfAborted();
      if (this.destroyed) throw thrown('InvalidStateError', 'The session was destroyed.');
    }

    take(input: PromptMessage[]): void {
      check(input, this.turns.length === 0, this.expected);
      if (cost(input) > contextWindow) throw thrown('QuotaExceededError');
      this.turns.push(...input);
      this.forget();
    }

    /** The oldest turns make room; the system prompt stays. */
    forget(): void {
      if (cost(this.turns) <= contextWindow) return;
      while (cost(this.turns) > contextWindow && this.turns.length > 1)
        this.turns.splice(this.turns[0]!.role === 'system' ? 1 : 0, 1);
      this.dispatchEvent(new Event(isEarly ? 'quotaoverflow' : 'contextoverflow'));
    }

    promptStreaming(input: PromptMessage[], settings: PromptSettings = {}): ReadableStream<string> {
      const { signal } = settings;
      const prompt: StandIn['prompts'][number] = { turns: [], settings, pieces: 0 };
      let pieces: (string | Error)[] | undefined;
      return new ReadableStream<string>(
        {
          start: (controller) => {
            signal?.addEventListener('abort', () => controller.error(signal.reason));
          },
          pull: async (controller) => {
            await new Promise((resolve) => setTimeout(resolve, 0));
            if (signal?.aborted) return;
            try {
              this.use(signal);
              if (!pieces) {
                fail('prompt');
                if (settings.omitResponseConstraintInput && !settings.responseConstraint)
                  throw new TypeError('No constraint.');
                this.take(input);
                prompt.turns = [...this.turns];
                standIn.prompts.push(prompt);
                const said = reply(prompt.turns, settings, standIn.prompts.length);
                pieces = typeof said === 'string' ? words(said) : [...said];
                this.turns.push({ role: 'assistant', content: '' });
              }
              const piece = pieces.shift();
              if (piece instanceof Error) throw piece;
              if (piece === undefined) return controller.close();
              prompt.pieces += 1;
              const answer = this.turns.at(-1)!;
              answer.content = `${answer.content as string}${piece}`;
              this.forget();
              controller.enqueue(piece);
            } catch (error) {
              controller.error(error);
            }
          },
        },
        { highWaterMark: 0 },
      );
    }

    destroy(): void {
      this.destroyed = true;
      standIn.open.delete(this);
    }
  }

  const fail = (method: keyof StandIn['failures']): void => {
    const failure = standIn.failures[method];
    delete standIn.failures[method];
    if (failure) throw failure;
  };

  const standIn: StandIn = {
    factory: {
      async availability({ expectedInputs }) {
        return expectedInputs.every(({ type }) => type === 'text' || takes.includes(type))
          ? standIn.availability
          : 'unavailable';
      },
      async create({ signal, monitor, initialPrompts = [], expectedInputs }) {
        signal.throwIfAborted();
        const expected = expectedInputs.map(({ type }) => type);
        if (standIn.availability === 'unavailable') throw thrown('NotSupportedError');
        if (standIn.availability !== 'available') {
          if (standIn.clicks < 1) throw thrown('NotAllowedError', 'Requires a user gesture.');
          standIn.clicks -= 1;
          standIn.availability = 'downloading';
          monitored = new EventTarget();
          monitor?.(monitored);
          await new Promise<void>((resolve, reject) => {
            finishDownload = resolve;
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        }
        fail('create');
        check(initialPrompts, true, expected);
        if (cost(initialPrompts) > contextWindow) throw thrown('QuotaExceededError');
        standIn.created += 1;
        return new Session([...initialPrompts], expected);
      },
    },
    availability: options.availability ?? 'available',
    clicks: 0,
    created: 0,
    cloned: 0,
    open: new Set(),
    mostOpen: 0,
    prompts: [],
    update() {
      for (const session of standIn.open) session.destroy();
    },
    download(share) {
      monitored?.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: share, total: 1 }));
      if (share < 1) return;
      standIn.availability = 'available';
      finishDownload?.();
    },
    failures: {},
  };
  return standIn;
}
