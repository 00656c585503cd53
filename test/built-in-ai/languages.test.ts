import { describe, expect, it } from 'vitest';
import { canonicalTags, namedLanguages, servedAs } from '../../src/built-in-ai/languages.js';
import { readSessionOptions } from '../../src/built-in-ai/session-options.js';
import { failureOf, install, openInference, replying } from './support/open-inference.js';

const window = globalThis as unknown as Record<string, any>;

describe('languages of the interfaces', () => {
  it('are named once each, and none of them is null', () => {
    expect(canonicalTags(['fr', 'FR', 'de'], 'x')).toEqual(['fr', 'de']);
    expect([namedLanguages([], 'x'), namedLanguages(undefined, 'x')]).toEqual([null, null]);
    expect(namedLanguages(['en', 'EN'], 'x')).toEqual(['en']);
  });

  it.each([
    ['en-GB', ['en'], 'en'],
    ['fr', ['en', 'fr-CA'], 'fr-CA'],
    ['fr-BE', ['fr-CA'], undefined],
    ['f', ['fr'], undefined],
  ])('%s of %s', (tag, languages, served) => expect(servedAs(tag, languages)).toBe(served));

  it('`tool-call` is a type of input', () => {
    expect([...readSessionOptions({ expectedInputs: [{ type: 'tool-call' }] }).inputs]).toEqual(['tool-call']);
  });
});

describe('the classes and `create`', () => {
  it('are called as the browser\u2019s own, and nothing is made or told after an abort', async () => {
    const open = await openInference(replying({ text: 'x' }));
    await install(open, { languages: ['en', 'de'] });
    const names = [
      'LanguageModel',
      'Summarizer',
      'Writer',
      'Rewriter',
      'Translator',
      'LanguageDetector',
      'Proofreader',
    ];
    expect(names.map((name) => window[name].name)).toEqual(names);
    for (const share of [0, 1]) {
      const stop = new AbortController();
      const told: number[] = [];
      const monitor = (target: EventTarget): void =>
        target.addEventListener('downloadprogress', (event) => {
          told.push((event as ProgressEvent).loaded);
          if ((event as ProgressEvent).loaded === share) stop.abort();
        });
      const made = failureOf(window['LanguageModel'].create({ monitor, signal: stop.signal }));
      expect(await made).toMatchObject({ name: 'AbortError' });
      expect(told.at(-1)).toBe(share);
    }
  });
});
