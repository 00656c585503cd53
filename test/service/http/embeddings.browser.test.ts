/** tiny-embed in Chromium, through the app and OpenAI's SDK. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { browserApp, fetchOf } from '../../engines/transformers/browser-app.js';

const fetch = fetchOf(browserApp());
const client = new OpenAI({ baseURL: 'http://localhost/v1', apiKey: 'any', dangerouslyAllowBrowser: true, fetch });
const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

async function vectors(input: string | string[]): Promise<number[][]> {
  return (await client.embeddings.create({ model: 'tiny-embed', input })).data.map((item) => item.embedding);
}

describe('tiny-embed', () => {
  it('finds the right note for at least 80 % of the queries', async () => {
    const { notes, queries } = (await (await globalThis.fetch('/models/tiny-embed/notes.json')).json()) as {
      notes: string[];
      queries: string[];
    };
    const [candidates, asked] = [await vectors(notes), await vectors(queries)];
    const right = asked.filter((query, index) => {
      const scores = candidates.map((candidate) => dot(query, candidate));
      return scores.indexOf(Math.max(...scores)) === index;
    });
    console.warn(`right notes: ${right.length} of ${queries.length}`);
    expect(right.length / queries.length).toBeGreaterThanOrEqual(0.8);
  });

  it('[E06] base64 (what the SDK asks for) holds the same values as float', async () => {
    const input = ['The cat sleeps.', 'Trains are late.'];
    const plain = await client.embeddings.create({ model: 'tiny-embed', input, encoding_format: 'float' });
    expect(await vectors(input)).toEqual(plain.data.map((item) => item.embedding));
  });

  it('[E08] gives unit vectors, related sentences closer than unrelated ones', async () => {
    const [a, b, c] = await vectors(['The child fell asleep.', 'The kid dozed off.', 'Shares fell on Monday.']);
    expect(dot(a!, a!)).toBeCloseTo(1, 4);
    expect(dot(a!, b!)).toBeGreaterThan(dot(a!, c!) + 0.2);
  });

  it('[E07] gives equal inputs equal vectors alone and in a batch', async () => {
    const [alone] = await vectors('Trains are late.');
    const batch = await vectors(['Trains are late.', 'a', 'The cat sleeps. '.repeat(30), 'Trains are late.']);
    for (const other of [batch[0]!, batch[3]!]) {
      expect(dot(alone!, other)).toBeGreaterThan(0.9999);
      for (const [i, value] of alone!.entries()) expect(Math.abs(value - other[i]!)).toBeLessThan(2e-3);
    }
  });
});
