/** Which browsers are supported, and since when each has a built-in of JavaScript and the DOM. @module */
import { createRequire } from 'node:module';
import type { CompatData, CompatStatement } from '@mdn/browser-compat-data';

const data = createRequire(import.meta.url)('@mdn/browser-compat-data') as CompatData;

const COMPAT = '__compat';

/** A built-in: a global, or a class and its member, e.g. `['AbortSignal', 'any']`. */
export type BuiltIn = readonly [string, string?];

export type Browser = 'chrome' | 'firefox' | 'safari';

/** The oldest supported versions. */
export const LEAST: Readonly<Record<Browser, string>> = { chrome: '116', firefox: '124', safari: '17.4' };

/** What no older version has, and every request needs. */
export const BOUND_BY: BuiltIn = ['AbortSignal', 'any'];

/** Newer built-ins that may be used. */
export const ALLOWED: readonly { names: RegExp; why: string }[] = [
  { names: /^GPU/, why: 'used only after `navigator.gpu` gave an adapter' },
  {
    names: /^AbortSignal\.timeout$/,
    why: 'Chrome before 124 differs in the name of the error alone, which nothing reads',
  },
  {
    names: /^CustomElementRegistry\.get$/,
    why: 'Safari differs only for customized built-in elements, of which there are none',
  },
  { names: /^KeyboardEvent\.isComposing$/, why: 'Safari is asked by the code of the key besides' },
];

function compatOf([first, second]: BuiltIn): CompatStatement | undefined {
  const parts = [data.api[first], data.javascript['builtins']?.[first]];
  const part = parts.find((each) => each !== undefined);
  const entry = second === undefined ? part : (part?.[second] ?? part?.[`${second}_static`]);
  return entry?.[COMPAT];
}

/** The first version that has all of a built-in without a flag; undefined: none. */
export function versionOf(builtIn: BuiltIn, browser: Browser): string | undefined {
  const support = compatOf(builtIn)?.support[browser] ?? [];
  const whole = [support]
    .flat()
    .find(
      ({ flags, prefix, alternative_name, partial_implementation }) =>
        !flags && !prefix && !alternative_name && !partial_implementation,
    );
  const added = whole?.version_added;
  return typeof added === 'string' && added !== 'preview' ? added.replace('≤', '') : undefined;
}

/** The supported browsers that lack a built-in, for a message; undefined: all have it, or MDN does not describe it. */
export function lacking(builtIn: BuiltIn): string | undefined {
  if (!compatOf(builtIn)) return undefined;
  const missing = (Object.keys(LEAST) as Browser[]).flatMap((browser) => {
    const version = versionOf(builtIn, browser);
    if (version !== undefined && !isLater(version, LEAST[browser])) return [];
    return [version === undefined ? `no ${browser}` : `${browser} from ${version} on`];
  });
  return missing.length > 0 ? missing.join(', ') : undefined;
}

function isLater(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major === leastMajor ? minor > leastMinor : major > leastMajor;
}
