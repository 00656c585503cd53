/** What llama.cpp computed of made files, which unit tests compare with: `npm run test:llama-cpp -- --record` writes it. @module */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../fixtures/gguf/llama-cpp-logits.json');

/** Positions whose log-probabilities are recorded. */
export const RECORDED_POSITIONS = [19, 39];

/** Of a made model, its weights and keys in 32 bits. */
interface RecordedModel {
  /** Log-probabilities of all tokens after those at {@link RECORDED_POSITIONS}. */
  after: number[][];
  answer: number[];
}

/** Of the bundled chat model in a kind of weights: each list has a question's. */
export interface RecordedChat {
  /** How far its log-probabilities are from those in 32 bits when it computes with the kind, keys and values in 16 bits. */
  mean: number;
  /** Answers in 32 bits. */
  answers: number[][];
  /** Tokens that an answer may begin with, and their log-probabilities in 32 bits. */
  likeliest: [token: number, logProbability: number][][];
}

export interface RecordedLogits {
  models: Record<string, RecordedModel>;
  tinyChat: Record<string, RecordedChat>;
}

export const readRecorded = (): RecordedLogits => JSON.parse(readFileSync(FILE, 'utf8')) as RecordedLogits;

export function writeRecorded({ models, tinyChat }: RecordedLogits): void {
  const lines = (all: object): string =>
    Object.entries(all)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  writeFileSync(FILE, `{\n  "models": {\n${lines(models)}\n  },\n  "tinyChat": {\n${lines(tinyChat)}\n  }\n}\n`);
}
