/** Runs one part of the benchmark in the page and leaves its rows, or the error's text, in `window.bench`. */
import type { BenchRow } from './bench-row.js';

const parts: Record<string, () => Promise<BenchRow[]>> = {
  text: async () => (await import('./rows/text-rows.js')).textRows(),
  constraint: async () => (await import('./rows/constraint-rows.js')).constraintRows(),
  transport: async () => (await import('./rows/transport-rows.js')).transportRows(),
  embedding: async () => (await import('./rows/embedding-rows.js')).embeddingRows(),
  speech: async () => (await import('./rows/speech-rows.js')).speechRows(),
};

const result = window as unknown as { bench?: BenchRow[] | string };
try {
  const part = parts[new URLSearchParams(location.search).get('part') ?? ''];
  result.bench = part ? await part() : 'no such part';
} catch (error) {
  result.bench = error instanceof Error ? (error.stack ?? error.message) : String(error);
}
