/** The page of the real model, from outside: its calls, and texts for them. */
import type { Page } from 'playwright';
import type { PageCalls } from './page.js';
import { WORDS } from './random-tokenizer.js';

export interface Call {
  <Name extends keyof PageCalls>(
    name: Name,
    ...given: Parameters<PageCalls[Name]>
  ): Promise<Awaited<ReturnType<PageCalls[Name]>>>;
}

/** The calls of a page that is open. */
export async function callsOf(page: Page): Promise<Call> {
  await page.waitForFunction(() => 'bench' in globalThis);
  return (name: string, ...given: unknown[]): Promise<never> =>
    page.evaluate(
      ([n, g]) => (globalThis as unknown as { bench: Record<string, (...g: unknown[]) => never> }).bench[n]!(...g),
      [name, given] as const,
    );
}

let salt = 0;
/** Text of so many tokens that no earlier one begins like. */
export function text(tokens: number): string {
  salt += 1;
  let state = salt * 2654435761;
  return Array.from({ length: tokens }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return WORDS[(state >>> 8) % WORDS.length];
  }).join(' ');
}

export const user = (tokens: number) => ({ role: 'user', content: text(tokens) });
