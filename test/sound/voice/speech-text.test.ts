import { describe, expect, it } from 'vitest';
import { speakableText } from '../../../src/sound/voice/split-sentences.js';
import { splitSentences } from '../../../src/sound/voice/split-sentences.js';
import { stretchTime } from '../../../src/sound/voice/stretch-time.js';

describe('sentences', () => {
  it('join to the text, and abbreviations end none', () => {
    for (const [text, count] of [
      ['One. Two! Three?', 3],
      ['Mr. Smith met Dr. Jones. They left.', 2],
      ['Fruit, e.g. apples.', 1],
      [' \n ', 1],
      ['你好。再见。', 2],
      ['He knew Mr. ', 1],
    ] as const) {
      const sentences = splitSentences(text);
      expect([text, sentences.length, sentences.join('')]).toEqual([text, count, text]);
    }
  });

  it('that are pauses are one in a row', () => {
    for (const pause of ['\n'.repeat(50), '😀\n😀\n', '...\n\n...\n', '../'.repeat(100)]) {
      expect(splitSentences(pause)).toEqual([pause]);
    }
    const text = 'One.\n\n\n\nTwo. 😀\n😀\n\n';
    const sentences = splitSentences(text);
    expect(sentences.join('')).toBe(text);
    expect(sentences.filter((sentence) => !/\w/.test(sentence)).length).toBeLessThanOrEqual(2);
  });

  it('that are long are cut behind clauses, then words, then letters', () => {
    for (const text of [
      'word, '.repeat(200),
      'word '.repeat(200),
      'w'.repeat(2000),
      'abc😀😀'.repeat(300),
      'a\u0301'.repeat(2000),
    ]) {
      const pieces = splitSentences(text);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.length <= 300 && piece.length > 0)).toBe(true);
      expect(pieces.some((piece) => /^[\uDC00-\uDFFF]/.test(piece))).toBe(false);
    }
    expect(splitSentences('word, '.repeat(200)).every((piece) => piece.endsWith(', '))).toBe(true);
  });
});

it('[V14] leaves out what cannot be spoken', () => {
  for (const [text, spoken] of [
    ['Hello\u{0}\u{7f} there', 'Hello there'],
    ['a\uD800b', 'a b'],
    ['😀 👩‍👩‍👧 🇩🇪', ''],
    ['5 © 2026', '5 © 2026'],
    ['z' + '\u0301'.repeat(4096), 'z' + '\u0301'.repeat(4)],
    ['\u202Eabc\u202C', 'abc'],
    ['---', ''],
    ['<speak>Hi</speak> https://a.b', '<speak>Hi</speak> https://a.b'],
  ] as const) {
    expect([text, speakableText(text)]).toEqual([text, spoken]);
  }
});

describe('[V05] stretching', () => {
  const RATE = 16_000;
  const tone = Float32Array.from({ length: RATE * 2 }, (_, at) => Math.sin((2 * Math.PI * 180 * at) / RATE));
  const rises = (samples: Float32Array) =>
    samples.filter((sample, at) => at > 0 && samples[at - 1]! < 0 && sample >= 0).length;

  it.each([0.25, 0.5, 0.8, 1, 1.3, 2, 4])('a tone at speed %s keeps its pitch', (speed) => {
    const stretched = stretchTime(tone, speed, RATE);
    expect(stretched).toHaveLength(Math.round(tone.length / speed));
    const pitch = (rises(stretched) / stretched.length) * RATE;
    expect(Math.abs(pitch - 180)).toBeLessThan(5);
    // No piece is missing: it is loud everywhere.
    for (let at = 0; at + 800 < stretched.length; at += 800) {
      expect(Math.max(...stretched.subarray(at, at + 800))).toBeGreaterThan(0.7);
    }
  });

  it('takes any length', () => {
    for (const length of [0, 1, 100, 639, 1281]) {
      for (const speed of [0.25, 3]) {
        expect(stretchTime(new Float32Array(length), speed, RATE)).toHaveLength(Math.round(length / speed));
      }
    }
  });
});
