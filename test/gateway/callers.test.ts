import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Callers } from '../../src/gateway/callers.js';

const URL = 'http://page.test/v1/chat/completions';

let callers: Callers;
let left: string[];
/** What ends a request normally. */
let answered: Record<string, () => void>;
beforeEach(() => {
  vi.useFakeTimers({ now: 100_000 });
  callers = new Callers();
  left = [];
  answered = {};
});
afterEach(() => void vi.useRealTimers());

/** A request that arrived so many milliseconds after the start of the test. */
function enter(name: string, at: number, client = 'tab'): void {
  answered[name] = callers.enter({ client, at: 100_000 + at }, URL, () => left.push(name));
}

/** The page's word of one that ran from `started` to `ended`. */
function report(started: number, ended: number, client = 'tab'): void {
  callers.left({ client, url: URL, started: 100_000 + started, ended: 100_000 + ended });
}

describe('a request that was left', () => {
  it('is the one that arrived right after it began', () => {
    enter('a', 1);
    enter('b', 1_000);
    report(999, 1_200);
    expect(left).toEqual(['b']);
    report(0, 1_300);
    expect(left).toEqual(['b', 'a']);
  });

  it('is not the next one, where it never arrived itself', () => {
    report(0, 1);
    enter('the next', 8);
    expect(left).toEqual([]);
  });

  it('is known also when the report comes before it, or when it took long to arrive', () => {
    report(0, 200);
    enter('a', 3);
    expect(left).toEqual(['a']);
    enter('b', 1_000);
    report(500, 1_500);
    expect(left).toEqual(['a', 'b']);
  });

  it('is never one of another tab or path, of before, or of after', () => {
    enter('another tab', 1, 'other');
    enter('before', 1);
    enter('after', 1_000);
    report(100, 200);
    expect(left).toEqual([]);
  });

  it('is not looked for among others when it was answered just then', () => {
    enter('a', 1);
    enter('b', 500);
    answered['a']?.();
    report(0, 1_000);
    expect(left).toEqual([]);
  });

  it('is waited for while it may be one of several, until as many are known', () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) enter(name, index);
    report(0, 100);
    report(0, 100);
    expect(left).toEqual([]);
    report(0, 100);
    expect(left).toEqual(['a', 'b', 'c']);
  });

  it('may have been slow to arrive, where others that were left with it were not', () => {
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) enter(name, index * 100);
    for (let count = 0; count < 4; count++) report(0, 1_000);
    expect(left.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is known when the others that it may be were answered', () => {
    enter('a', 1);
    enter('b', 2);
    report(0, 100);
    answered['a']?.();
    expect(left).toEqual(['b']);
  });

  it('is forgotten after a while', () => {
    report(0, 100);
    vi.setSystemTime(120_000);
    enter('late', 50);
    expect(left).toEqual([]);
  });
});
