/** Phonemes by a module that the app names: none is bundled, and none is fetched without permission. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { cannotSpeak } from './voice-graphs.js';

/** Milliseconds in which the module must be there, and a sentence be read. */
const LOADING = 60_000;
const READING = 10_000;

/** A sentence in the International Phonetic Alphabet. @param language as espeak names it, e.g. `en-us` */
export type Phonemize = (text: string, language: string) => Promise<string>;

/**
 * @param url of the module, from the entry
 * @param pageURL that a relative one is resolved against
 * @throws InferenceError `unavailable` when it cannot be loaded, `model_not_supported` when it is not such a module
 */
export async function loadPhonemizer(url: string, pageURL: string): Promise<Phonemize> {
  const { phonemize } = await importModule(new URL(url, pageURL).href);
  if (typeof phonemize !== 'function') throw cannotSpeak(`the module \`${url}\` exports no function \`phonemize\``);
  const call = phonemize as (text: string, language: string) => unknown;
  return async (text, language) => {
    const pieces = await Promise.all(
      splitIntoPieces(text).map(async (piece) => {
        if (!/[\p{L}\p{N}]/u.test(piece)) return piece;
        return spaceOf(piece, await readAloud(call, piece.trim(), language));
      }),
    );
    return pieces.join('').trim();
  };
}

async function importModule(href: string): Promise<Record<string, unknown>> {
  let module: Record<string, unknown> | undefined;
  try {
    const importing = import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ href);
    module = await settledWithin(importing as Promise<Record<string, unknown>>, LOADING);
  } catch (cause) {
    throw new InferenceError(
      'unavailable',
      `The phonemizer ${href} could not be loaded.`,
      { param: 'model' },
      { cause },
    );
  }
  if (module) return module;
  throw new InferenceError('unavailable', `The phonemizer ${href} could not be loaded in time.`, { param: 'model' });
}

/** Phonemizers drop punctuation, which tells a model where to pause. */
function splitIntoPieces(text: string): string[] {
  return text.split(/([;:,.!?¡¿—…"«»“”(){}[\]]+)/).filter((piece) => piece !== '');
}

/** White space at the ends of a piece stays. */
function spaceOf(piece: string, phonemes: string): string {
  return `${/^\s/.test(piece) ? ' ' : ''}${phonemes}${/\s$/.test(piece) ? ' ' : ''}`;
}

/** @throws InferenceError `internal` for a phonemizer that fails, is late or answers with something else */
async function readAloud(
  call: (text: string, language: string) => unknown,
  text: string,
  language: string,
): Promise<string> {
  const failed = (why: string, cause?: unknown): InferenceError =>
    new InferenceError('internal', `The phonemizer of this model ${why}.`, {}, { cause });
  let answer: unknown;
  try {
    answer = await settledWithin(Promise.resolve(call(text, language)), READING);
  } catch (cause) {
    throw failed('failed', cause);
  }
  const phonemes: unknown = Array.isArray(answer) ? answer.join(' ') : answer;
  if (typeof phonemes !== 'string') throw failed(answer === undefined ? 'gave nothing in time' : 'gave no text');
  return phonemes.trim();
}

/** Where espeak and the training of Kokoro differ. */
const KOKORO: readonly (readonly [RegExp, string])[] = [
  [/kəkˈoːɹoʊ/g, 'kˈoʊkəɹoʊ'],
  [/kəkˈɔːɹəʊ/g, 'kˈəʊkəɹəʊ'],
  [/ʲ/g, 'j'],
  [/r/g, 'ɹ'],
  [/x/g, 'k'],
  [/ɬ/g, 'l'],
  [/(?<=[a-zɹː])(?=hˈʌndɹɪd)/g, ' '],
  [/ z(?=[;:,.!?¡¿—…"«»“” ]|$)/g, 'z'],
];

/** Phonemes of espeak as Kokoro knows them. @param language as espeak names it */
export function kokoroPhonemes(phonemes: string, language: string): string {
  const known = KOKORO.reduce((text, [search, written]) => text.replaceAll(search, written), phonemes);
  return language === 'en-us' ? known.replaceAll(/(?<=nˈaɪn)ti(?!ː)/g, 'di') : known;
}
