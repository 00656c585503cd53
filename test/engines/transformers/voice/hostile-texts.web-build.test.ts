/** Texts that mean harm, spoken by a VITS model with random weights. */
import { afterEach, expect, it, vi } from 'vitest';
import { isInferenceError } from '../../../../src/core/errors/inference-error.js';
import { load, madeVits, speak } from './support/made-voice.js';

afterEach(() => void vi.unstubAllGlobals());

const MOST = 4096;

/** Pieces that are sent once, many times, and as often as a text may have characters. */
const PIECES = [
  ...Array.from({ length: 12 }, (_, at) => String.fromCharCode(at * 3)),
  '\u007f',
  '\u0085',
  '\u009f',
  '\u00ad',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u202e',
  '\u2028',
  '\u2066',
  '\ufeff',
  '\ufffd',
  '\ud800',
  '\udc00',
  '\uffff',
  '\u{e0001}',
  '\u{10ffff}',
  '\ue000',
  '\u0301',
  'e\u0301',
  '\u20dd',
  'Z\u0351\u036b\u0343',
  '\u0e49',
  '\u1ab0',
  'שלום ',
  'مرحبا ',
  '\u202eabc\u202c ',
  'नमस्ते ',
  '你好',
  'ＡＢ',
  '𝕳𝖊',
  'ß',
  'İ',
  '<speak>',
  '<break time="9999s"/>',
  '<![CDATA[',
  '&amp;',
  '&#x0;',
  '<!ENTITY a "&a;&a;">',
  '[[rate:0]]',
  '{{x}}',
  '${x}',
  'https://example.com/',
  'a@b.co ',
  'www.',
  '://',
  '../',
  '%00',
  '%n',
  '\\u0000',
  '1',
  '1.',
  '1,',
  '1:',
  '1/',
  '$1',
  '-1',
  '+1',
  '9'.repeat(40),
  '1e999',
  '1st',
  '0x',
  '½',
  '°',
  '٣',
  '³',
  'Ⅷ',
  '.',
  '...',
  '?!',
  ',',
  '—',
  '"',
  "'",
  '(',
  ']',
  '\\',
  '|',
  '#',
  '*',
  '👩‍👩‍👧‍👦',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🇩🇪',
  '☺️',
  '1️⃣',
  '😀',
  'a',
  'aé',
  'Mr.',
  'Dr. ',
  'e.g.',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  'constructor',
  '__proto__',
  '[CLS]',
  '[PAD][SEP]',
];

const TEXTS = PIECES.flatMap((piece) =>
  [1, 50, MOST].map((times) => Array.from(piece.repeat(times)).slice(0, MOST).join('')),
);

it(
  '[V14] ends 200 hostile texts and more with sound, or with a 400 that names `input`',
  { timeout: 300_000 },
  async () => {
    expect(TEXTS.length).toBeGreaterThan(200);
    const model = await load('hostile', madeVits(4));
    for (const input of TEXTS) {
      const outcome = await speak(model, { input }).then(
        (samples) => (samples.length > 0 && samples.every(Number.isFinite) ? 'sound' : `${samples.length} samples`),
        (thrown: unknown) => (isInferenceError(thrown) ? `${thrown.code} ${thrown.details.param}` : String(thrown)),
      );
      expect([JSON.stringify(input.slice(0, 40)), outcome]).toEqual([
        expect.any(String),
        expect.stringMatching(/^(sound|invalid_request input)$/),
      ]);
    }
    expect((await speak(model)).length).toBeGreaterThan(0);
    await model.unload();
  },
);
