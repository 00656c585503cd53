/** One conversation, spoken in the dialect of an API: its request, and what its events mean. */

import type { RequestSettings } from '../settings.js';

export interface SpokenTurn {
  role: 'user' | 'assistant';
  text: string;
  /** Data URLs of what was shown with it. */
  images?: string[];
}

interface AskOptions extends RequestSettings {
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
interface Piece {
  text?: string | null | undefined;
  reasoning?: string | null | undefined;
  /** Tokens of the whole answer. */
  tokens?: number | undefined;
  error?: string | undefined;
}

/** A message as the dialects have it in common. */
export interface SpokenMessage {
  role: string;
  content: string | object[];
}

/** @param imagePart an image as the dialect writes it. @param textType its name for text */
export function toMessages(
  turns: readonly SpokenTurn[],
  imagePart: (dataURL: string) => object,
  textType = 'text',
): SpokenMessage[] {
  return turns.map(({ role, text, images = [] }) => ({
    role,
    content: images.length === 0 ? text : [...images.map(imagePart), { type: textType, text }],
  }));
}
