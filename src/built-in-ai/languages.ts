/** Language tags, and what is served of them. @module */
import { listOf, textOf } from './idl.js';

/** @throws RangeError for what is not a tag */
export function canonicalTag(tag: unknown): string {
  const text = textOf(tag);
  try {
    return Intl.getCanonicalLocales(text)[0] ?? '';
  } catch {
    throw new RangeError(`\`${text}\` is not a language tag.`);
  }
}

/** Each once. @throws TypeError for what is not a list, RangeError for what is not a tag */
export function canonicalTags(tags: unknown, name: string): string[] {
  return [...new Set(listOf(tags, name).map(canonicalTag))];
}

/** The languages that an option names; null where it names none. @throws as {@link canonicalTags} */
export function namedLanguages(tags: unknown, name: string): readonly string[] | null {
  const named = tags === undefined ? [] : canonicalTags(tags, name);
  return named.length === 0 ? null : Object.freeze(named);
}

/** The language of the list that a tag is one of: `en-GB` is `en`, and `fr` is `fr-CA` where that is what is there of it. */
export function servedAs(tag: string, languages: readonly string[]): string | undefined {
  let wanted = tag;
  while (wanted !== '') {
    if (languages.includes(wanted)) return wanted;
    wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('-')));
  }
  return languages.find((language) => language.startsWith(`${tag}-`));
}

/** What a language is called in English. */
export function languageName(tag: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
}
