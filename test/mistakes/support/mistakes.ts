/** Mistakes of people who use Inpage for the first time, each with the sentence that answers it. */
import { expect, it, vi } from 'vitest';

/** A mistake, what its answer says, and what makes it. */
export type Mistake = readonly [mistake: string, says: string, make: () => unknown];

/**
 * A test for each mistake: it is answered by a thrown error, by the text that `make` returns, or by a line in the console. None is
 * silent.
 */
export function answerMistakes(mistakes: readonly Mistake[]): void {
  it.each(mistakes.map(([mistake, says, make]) => ({ mistake, says, make })))('$mistake', async ({ says, make }) => {
    expect(await answerTo(make)).toContain(says);
  });
}

/** What a person reads. */
async function answerTo(make: () => unknown): Promise<string> {
  const lines: string[] = [];
  const note = (...texts: unknown[]): void => void lines.push(texts.map(String).join(' '));
  const spies = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockImplementation(note));
  try {
    const returned = await make();
    if (typeof returned === 'string' && returned !== '') lines.push(returned);
  } catch (thrown) {
    lines.push((thrown as Error).message);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines.join(' / ') || 'SILENT';
}
