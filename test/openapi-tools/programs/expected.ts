/** What the programs ask, and what must come out. */
import { equal } from 'node:assert/strict';

export const BASE = process.env['BASE']!;
export const CHAT = 'scripted-chat';
export const EMBEDDER = 'scripted-embed';
export const TEXT = 'The quick brown fox jumps over the lazy dog.';

/** What every program has found. Each part has the type that its generator made of the document. */
export interface Found {
  models: string[];
  said: string | null | undefined;
  tokens: number;
  dimensions: number[];
  /** The status of a request without messages. */
  refused: number;
}

export function check({ models, said, tokens, dimensions, refused }: Found): void {
  equal(models.includes(CHAT), true);
  equal(said, TEXT);
  equal(tokens > 0, true);
  equal(dimensions.length, 2);
  equal(new Set(dimensions).size, 1);
  equal(refused, 400);
}
