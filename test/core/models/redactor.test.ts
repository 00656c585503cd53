import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../src/core/models/redactor.js';

describe('[Y08] no part of a secret stays', () => {
  it.each([
    ['the beginning of another', ['team', 'team-7fh3kq9z'], 'a team-7fh3kq9z b team', 'a [secret] b [secret]'],
    ['the end of another', ['kq9z', 'team-7fh3kq9z'], 'team-7fh3kq9z', '[secret]'],
    ['across another', ['abc-def', 'def-ghi'], 'x abc-def-ghi y', 'x [secret] y'],
    ['within another', ['b', 'abc'], 'abc b', '[secret] [secret]'],
    ['beside another', ['ab', 'cd'], 'abcd', '[secret][secret]'],
    ['of characters that mean something in patterns', ['a.*(b', 'a.*(b$'], 'a.*(b$', '[secret]'],
    ['empty', ['', 'key'], 'no key', 'no [secret]'],
  ])('one that is %s', (_, secrets, text, shown) => {
    expect(new Redactor(secrets).text(text)).toBe(shown);
    expect(new Redactor(secrets.toReversed()).text(text)).toBe(shown);
    expect(new Redactor(secrets).value({ [text]: [text, 1, null] })).toEqual({ [shown]: [shown, 1, null] });
  });

  it('in pieces, by form, and whatever its capitals', () => {
    const redactor = new Redactor(['team', 'team-7fh3kq9z'], { byForm: true });
    const pieces = ['It is TE', 'AM-7fh3', 'kq9z, and sk-', 'abcdefghijklmnop.'].map((text) => ({ text }));
    expect(redactor.pieces(pieces)).toBe(true);
    expect(pieces.map(({ text }) => text)).toEqual(['It is [secret]', '', ', and [secret]', '.']);
    expect(redactor.pieces([{ text: 'nothing' }])).toBe(false);
  });

  it('by the mark that stands for it', () => {
    expect(new Redactor(['key'], { mark: '…' }).text('a key')).toBe('a …');
  });
});
