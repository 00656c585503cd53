/// <reference types="vite/client" />
/** Runs one part of the benchmark in the page and leaves its rows, or the error's text, in `window.bench`. */
import type { BenchRow } from './bench-row.js';

/** `rows/<part>-rows.ts` exports one function, `<part>Rows`. */
const modules = import.meta.glob<Record<string, () => Promise<BenchRow[]>>>('./rows/*-rows.ts');

async function measure(part: string): Promise<BenchRow[]> {
  const module = await modules[`./rows/${part}-rows.ts`]?.();
  const rows = module?.[`${part}Rows`];
  if (!rows) throw new Error('There is no such part.');
  return rows();
}

const result = window as unknown as { bench?: BenchRow[] | string };
try {
  result.bench = await measure(new URLSearchParams(location.search).get('part') ?? '');
} catch (error) {
  result.bench = error instanceof Error ? (error.stack ?? error.message) : String(error);
}
