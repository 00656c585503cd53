import { describe, expect, it } from 'vitest';
import {
  type AdmissionOptions,
  SequenceAdmission,
  type SequenceNeed,
} from '../../../src/engines/common/sequence-admission.js';

const { signal } = new AbortController();

/** Room for 1,000 tokens, 2 sequences whatever they need, and 6 rows. */
function admission(changes: Partial<AdmissionOptions> = {}) {
  const entered: string[] = [];
  const places = new SequenceAdmission({ always: 2, maxRows: 6, maxBytes: 4000, tokenBytes: 4, ...changes });
  const enter = async (name: string, need: Partial<SequenceNeed>, stop = signal) => {
    const place = await places.enter({ rows: 1, promptTokens: 100, maxTokens: 100, ...need }, stop);
    entered.push(name);
    return place;
  };
  return { enter, entered };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('SequenceAdmission', () => {
  it('lets in as many as memory bears, and the next when one leaves', async () => {
    const { enter, entered } = admission();
    const places = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => enter(name, {})));
    const waiting = enter('f', {});
    await settled();
    expect(entered).toEqual(['a', 'b', 'c', 'd', 'e']);
    places[3]!.leave();
    places[3]!.leave();
    await waiting;
    expect(entered.at(-1)).toBe('f');
  });

  it('lets the first ones in whatever they need', async () => {
    const { enter, entered } = admission();
    await enter('a', { promptTokens: 5000 });
    await enter('b', { rows: 8 });
    void enter('c', { promptTokens: 1 });
    await settled();
    expect(entered).toEqual(['a', 'b']);
  });

  it('counts rows, and what a sequence has when that is more than was expected', async () => {
    const { enter, entered } = admission();
    const long = await enter('a', { promptTokens: 1, maxTokens: undefined });
    await enter('b', { rows: 4, promptTokens: 1, maxTokens: 1 });
    const place = await enter('c', {});
    void enter('d', { promptTokens: 1, maxTokens: 1 });
    await settled();
    expect(entered).toEqual(['a', 'b', 'c']);
    long.measure(() => 900);
    place.leave();
    const further = enter('e', {});
    await settled();
    // `d` has the row of `c`, and memory is short now.
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    long.leave();
    await further;
  });

  it('keeps the order of arrival, and forgets who gave up', async () => {
    const { enter, entered } = admission();
    const [first] = await Promise.all([enter('a', { promptTokens: 600 }), enter('b', {})]);
    const stop = new AbortController();
    const large = enter('large', { promptTokens: 800 }, stop.signal);
    const small = enter('small', { promptTokens: 10, maxTokens: 10 });
    await settled();
    expect(entered).toEqual(['a', 'b']);
    stop.abort();
    await expect(large).rejects.toMatchObject({ code: 'cancelled' });
    await small;
    first.leave();
    expect(entered).toEqual(['a', 'b', 'small']);
    await expect(enter('late', {}, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
  });
});
