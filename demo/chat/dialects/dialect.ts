/** One conversation, spoken in the dialect of an API: its request, and what its events mean. */

import type { RequestSettings } from '../settings.js';

export interface SpokenTurn {
  role: 'user' | 'assistant';
  text: string;
}

export interface AskOptions extends RequestSettings {
  model: string;
  think: boolean;
}

export interface Dialect {
  title: string;
  /** Below the base. */
  path: string;
  toBody: (turns: readonly SpokenTurn[], options: AskOptions) => Record<string, unknown>;
  readEvent: (event: object) => Piece;
}

/** What one event adds to the answer. */
export interface Piece {
  text?: string | null | undefined;
  reasoning?: string | null | undefined;
  /** Tokens of the whole answer. */
  tokens?: number | undefined;
  /** Tokens per second and seconds to the first token by the engine's own clock, where the dialect tells. */
  rate?: number | undefined;
  firstToken?: number | undefined;
  error?: string | undefined;
}

export function toMessages(turns: readonly SpokenTurn[]): { role: string; content: string }[] {
  return turns.map(({ role, text }) => ({ role, content: text }));
}
