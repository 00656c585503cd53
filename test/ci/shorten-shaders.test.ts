import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shortenTemplates } from '../../.ci/shorten-shaders.js';

it('takes spaces and comments out of templates, and leaves code, its strings and its comments', () => {
  const code = `
// It's a \`comment\` with a { brace.
const text = 'a  =  \`b\`';
const shader = \`
  // Not for a GPU.
  let a = \${each({ list: [1, 2] }, (one) => \`x + \${one},  y\`)}; // here
  return a - b < -c;
\`;
/** {@link text} */ const other = { a: 1 };`;
  expect(shortenTemplates(code)).toBe(`
// It's a \`comment\` with a { brace.
const text = 'a  =  \`b\`';
const shader = \` let a=\${each({ list: [1, 2] }, (one) => \`x+\${one},y\`)};return a-b < -c;\`;
/** {@link text} */ const other = { a: 1 };`);
});

it('refuses a comment that an expression cuts, behind which there would be no comment', () => {
  expect(() => shortenTemplates('`// It has ${count} rows.\n`')).toThrow('does not end with its line');
});

const SHADERS = 'src/engines/gguf/webgpu/shaders';
it.each(readdirSync(SHADERS))('leaves every word and sign of %s', (file) => {
  const code = readFileSync(`${SHADERS}/${file}`, 'utf8');
  const tokensOf = (text: string): string[] => text.replace(/^\s*\/\/.*$/gm, '').match(/\w+|[^\s\w]/g) ?? [];
  const short = shortenTemplates(code);
  expect(tokensOf(short)).toEqual(tokensOf(code));
  expect(short.length).toBeLessThanOrEqual(code.length);
});
