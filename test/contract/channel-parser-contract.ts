/** What every channel parser owes: the same parts however the text is cut, and paired, non-empty calls. @module */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelPart } from '../../src/core/events/token-event.js';
import type { ChannelParser } from '../../src/language/families/parsing/channel-parser.js';
import { rounds } from '../support/rounds.js';

/** A model's output and what it means; neighbouring parts of one kind are joined. */
export interface ChannelFixture {
  name: string;
  text: string;
  parts: ChannelPart[];
  /** The token limit ended it. */
  cut?: boolean;
  /** Channel after the last text, before `end()`. */
  channel?: ChannelParser['channel'];
}

export interface ChannelParserContract {
  create: () => ChannelParser;
  fixtures: readonly ChannelFixture[];
  /** Snippets of the family's syntax; random sequences of them must survive every cut. */
  fragments: readonly string[];
}

/** Runs the suite for one family. */
export function describeChannelParser(name: string, { create, fixtures, fragments }: ChannelParserContract): void {
  describe(`${name}: channel parser contract`, () => {
    it.each(fixtures)('$name', ({ text, parts, channel, cut: isCut }) => {
      const whole = read(create(), [text], isCut);
      expect(whole.parts).toEqual(parts);
      expect(whole.channel).toBe(channel ?? whole.channel);
    });

    it.each(fixtures)('$name: cut at every index, and into characters', ({ text }) => {
      const whole = read(create(), [text]);
      for (let index = 0; index <= text.length; index++) {
        expect(read(create(), [text.slice(0, index), text.slice(index)]), `cut at ${index}`).toEqual(whole);
      }
      expect(read(create(), text.split(''))).toEqual(whole);
    });

    it.each(fixtures)('$name: ended at every index, the calls are paired and nothing throws', ({ text }) => {
      for (let index = 0; index <= text.length; index++) {
        expect(pairingFaults(read(create(), [text.slice(0, index)]).parts), `ended at ${index}`).toEqual([]);
      }
    });

    it('reads random sequences of its own syntax the same way however they are cut', () => {
      const pieces = fc.array(fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 3 })), { maxLength: 14 });
      fc.assert(
        fc.property(pieces, fc.array(fc.nat(40), { maxLength: 6 }), (words, lengths) => {
          const text = words.join('');
          const whole = read(create(), [text]);
          expect(pairingFaults(whole.parts)).toEqual([]);
          expect(read(create(), text.split(''))).toEqual(whole);
          expect(read(create(), cut(text, lengths))).toEqual(whole);
        }),
        { numRuns: rounds(400, 1500) },
      );
    });

    it('never loses the words of a text without markup', () => {
      const plain = fc.string({ maxLength: 40 }).filter((text) => !/[<[{]/.test(text));
      fc.assert(
        fc.property(plain, (text) => {
          const { parts } = read(create(), text.split(''));
          const said = parts.map((part) => ('text' in part ? part.text : '')).join('');
          expect(said.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        }),
      );
    });
  });
}

/** Feeds pieces and joins neighbouring parts. @param isCut the token limit ended the text */
export function read(
  parser: ChannelParser,
  pieces: readonly string[],
  isCut = false,
): { parts: ChannelPart[]; channel: ChannelParser['channel'] } {
  const parts = pieces.flatMap((piece) => parser.push(piece));
  const { channel } = parser;
  return { parts: joinParts([...parts, ...parser.end(isCut)]), channel };
}

function joinParts(parts: readonly ChannelPart[]): ChannelPart[] {
  const joined: ChannelPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if ('text' in part && part.text === '') continue;
    if (last && 'text' in last && 'text' in part && last.type === part.type) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined;
}

function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return [...pieces, text.slice(from)];
}

/** Arguments and ends stand inside a call, other parts outside; only the last call may stay open. */
function pairingFaults(parts: readonly ChannelPart[]): string[] {
  const faults: string[] = [];
  let open = false;
  for (const [index, part] of parts.entries()) {
    const inside = part.type === 'tool-call-arguments' || part.type === 'tool-call-end';
    if (inside !== open) faults.push(`part ${index} (${part.type}) stands ${open ? 'inside' : 'outside'} a call`);
    if (part.type === 'tool-call-start' && part.name === '') faults.push(`part ${index} names no function`);
    open = part.type === 'tool-call-start' || (open && part.type !== 'tool-call-end');
  }
  return faults;
}
