/** Questions to whoever sits at the terminal. @module */
import { createInterface } from 'node:readline/promises';

/** Where a program reads and writes. */
export interface Streams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Whether a person reads and answers. */
export const isTerminal = ({ input, output }: Streams): boolean => input.isTTY === true && output.isTTY === true;

/**
 * Asks one question after another.
 * @param fallback what an empty answer means
 * @throws Error when the person leaves with Ctrl+C or Ctrl+D
 */
export async function ask({ input, output }: Streams, question: string, fallback: string): Promise<string> {
  const lines = createInterface({ input, output });
  const left = new AbortController();
  lines.once('close', () => left.abort());
  try {
    const answer = await lines.question(`${question} (${fallback}): `, { signal: left.signal });
    return answer.trim() || fallback;
  } catch (thrown) {
    output.write('\n');
    throw new Error('stopped. Nothing was written.', { cause: thrown });
  } finally {
    lines.close();
  }
}
