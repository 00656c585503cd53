/**
 * A stand-in of the browser's `SemanticEmbedder`: what it checks and throws, and vectors of three numbers that tell the length of the
 * text, its first letter and what the vector is for.
 */
import type { Availability } from '../../src/engines/built-in/create-session.js';
import {
  type SemanticEmbedderFactory,
  type SemanticEmbedderSession,
  TASK_TYPES,
} from '../../src/engines/built-in/semantic-embedder.js';

/** What a test sees and moves. */
export interface EmbedderStandIn {
  factory: SemanticEmbedderFactory;
  availability: Availability;
  /** Clicks that have not been used. */
  clicks: number;
  created: number;
  open: Set<SemanticEmbedderSession>;
  calls: { input: string[]; taskType: string | undefined; signal: AbortSignal }[];
  /** The next call throws it; or it never ends but by its signal. */
  failure: Error | 'hang' | undefined;
  /** Ends all sessions, as an update of the model does. */
  update(): void;
  /** Tells a share of the download; 1 ends it. */
  download(share: number): void;
}

/** Texts of more characters are refused. */
const MOST_CHARACTERS = 200;

export function createSemanticEmbedder(availability: Availability = 'available'): EmbedderStandIn {
  let finishDownload: (() => void) | undefined;
  let monitored: EventTarget | undefined;

  class Session implements SemanticEmbedderSession {
    async embed(
      input: string[],
      { taskType, signal }: Parameters<SemanticEmbedderSession['embed']>[1],
    ): ReturnType<SemanticEmbedderSession['embed']> {
      signal.throwIfAborted();
      if (!standIn.open.has(this)) throw new DOMException('The embedder was destroyed.', 'InvalidStateError');
      if (taskType !== undefined && !TASK_TYPES.includes(taskType)) throw new TypeError('No such taskType.');
      standIn.calls.push({ input, taskType, signal });
      const { failure } = standIn;
      standIn.failure = undefined;
      if (failure === 'hang')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      if (failure instanceof Error) throw failure;
      if (input.some((text) => text.length > MOST_CHARACTERS)) throw new DOMException('', 'QuotaExceededError');
      const purpose = taskType === undefined ? 0 : TASK_TYPES.indexOf(taskType) + 1;
      return {
        embeddings: input.map((text) => ({ values: Float32Array.of(text.length, text.charCodeAt(0), purpose) })),
      };
    }

    destroy(): void {
      standIn.open.delete(this);
    }
  }

  const standIn: EmbedderStandIn = {
    factory: {
      availability: async () => standIn.availability,
      async create({ signal, monitor }) {
        signal.throwIfAborted();
        if (standIn.availability === 'unavailable') throw new DOMException('', 'NotSupportedError');
        if (standIn.availability !== 'available') {
          if (standIn.clicks < 1) throw new DOMException('Requires a user gesture.', 'NotAllowedError');
          standIn.clicks -= 1;
          standIn.availability = 'downloading';
          monitored = new EventTarget();
          monitor?.(monitored);
          await new Promise<void>((resolve, reject) => {
            finishDownload = resolve;
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        }
        standIn.created += 1;
        const session = new Session();
        standIn.open.add(session);
        return session;
      },
    },
    availability,
    clicks: 0,
    created: 0,
    open: new Set(),
    calls: [],
    failure: undefined,
    update: () => standIn.open.clear(),
    download(share) {
      monitored?.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: share, total: 1 }));
      if (share < 1) return;
      standIn.availability = 'available';
      finishDownload?.();
    },
  };
  return standIn;
}
