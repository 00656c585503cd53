/** The lint of wording: what it finds, and what it leaves alone. */
import { expect, it } from 'vitest';
import { findOddEnglish, isProseFile } from '../../.ci/plain-english.mjs';

it.each([
  ['demo/docs/a.md', 'Text.\n\nThe estimate is no promise.', /^demo\/docs\/a\.md:3: "is no p": write "is not a …"$/],
  ['src/a.ts', "const a = 1;\nconst b = 'Absent: none.';", /^src\/a\.ts:2: "Absent: ": write "Default: …"/],
  ['src/a.ts', "throw new Error('The model takes no images.');", /"takes no i"/],
  ['src/a.ts', 'const a = `${name} is out of reach`;', /"out of reach"/],
  ['src/a.ts', "// What it doesn't say.\nconst a = 'Nobody reads it.';", /^src\/a\.ts:2: "Nobody"/],
  ['demo/a.tsx', "'Its behaviour changes.'", /"behaviour"/],
  ['README.md', 'Models are fetched anew.', /"anew": write again/],
  ['README.md', "Chrome's, the browser's own model, answers.", /built-in model/],
])('%s: %s', (name, text, expected) => {
  const found = findOddEnglish(name, text);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
});

it.each([
  ['README.md', 'There is no such file, and it is no longer here.'],
  ['README.md', '`somebody` and\n\n```js\n// nobody\n```\n'],
  ['src/a.ts', "import { recognise } from './licence.js';\nconst nobody = anew;"],
  ['src/a.ts', '/** Nobody reads it. */\n// Absent: none.\nconst a = 1;'],
])('finds nothing in %s: %s', (name, text) => {
  expect(findOddEnglish(name, text)).toEqual([]);
});

it('reads sources and documents, but neither copies of the specification nor the history', () => {
  const names = ['src/index.ts', 'demo/docs/install.md', 'README.md', 'test/rules/rules.md', 'CHANGELOG.md'];
  expect(names.filter(isProseFile)).toEqual(['src/index.ts', 'demo/docs/install.md', 'README.md']);
});
