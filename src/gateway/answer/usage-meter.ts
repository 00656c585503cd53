/** Counts tokens and takes times: all that usage says, unless the engine tells its own counts. @module */
import type { CountsEvent, PieceEvent } from '../../core/events/token-event.js';
import type { GenerationUsage } from './generation-event.js';

type Counts = Omit<CountsEvent, 'type'>;

export interface UsageMeter {
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
export function createUsageMeter({ clock, startTime }: { clock: () => number; startTime: number }): UsageMeter {
  let promptTokens = 0;
  let cachedTokens = 0;
  let completionTokens = 0;
  let reasoningTokens = 0;
  let firstAt = 0;
  let eleventhAt = 0;
  let lastAt = 0;
  let told: Counts | undefined;

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
      told = counts;
    },
    read() {
      const counts = told ?? { promptTokens, cachedTokens, completionTokens, reasoningTokens };
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
