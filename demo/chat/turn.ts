/** One question or answer of a conversation. */
import type { SpokenTurn } from './dialects/dialect.js';

export interface Turn extends SpokenTurn {
  reasoning?: string;
  error?: string;
  /** Facts under a finished answer. */
  note?: string;
}
