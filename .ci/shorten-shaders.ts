/** Shaders are texts, in which no minifier shortens anything. @module */
import type { Plugin } from 'vite';

/** Takes comments and spaces out of the WGSL of the GGUF engine: a twentieth of what a page with a GPU fetches for it. */
export function shortenShaders(): Plugin {
  return {
    name: 'inpage:shorten-shaders',
    enforce: 'pre',
    transform: (code, id) =>
      /\/gguf\/webgpu\/shaders\/[\w-]+\.ts$/.test(id) ? { code: shortenTemplates(code), map: null } : null,
  };
}

/** What ends a piece of code, or of a template: comments and strings of code are passed over as a whole. */
const IN_CODE = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\])*'|[`{}]/g;
const IN_TEMPLATE = /\\.|`|\$\{/g;

/** The same TypeScript with shorter texts in its template literals, all of which are WGSL. */
export function shortenTemplates(code: string): string {
  let [short, at] = ['', 0];
  // Where a template is, or the depth of braces in code inside of one.
  const inside: ('template' | number)[] = [0];
  while (at < code.length) {
    const where = inside.at(-1)!;
    const ends = where === 'template' ? IN_TEMPLATE : IN_CODE;
    ends.lastIndex = at;
    let match = ends.exec(code);
    while (match && match[0].length > 1 && match[0] !== '${') match = ends.exec(code);
    const [end, mark] = match ? [match.index, match[0]] : [code.length, ''];
    const piece = code.slice(at, end);
    short += (where === 'template' ? shortenText(piece) : piece) + mark;
    at = end + mark.length;
    if (mark === '${') inside.push(0);
    else if (mark === '`' && where === 'template') inside.pop();
    else if (mark === '`') inside.push('template');
    else if (mark === '}' && where === 0) inside.pop();
    else if (mark !== '') inside[inside.length - 1] = (where as number) + (mark === '{' ? 1 : -1);
  }
  return short;
}

/** @throws Error for a comment with an expression inside: what follows that would no longer be one */
function shortenText(text: string): string {
  if (/\/\/.*$/.test(text)) throw new Error(`A comment of a shader does not end with its line: ${text}`);
  return (
    text
      .replace(/\/\/.*/g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([=,;{}*:|&+()]) ?/g, '$1')
      // Not beside a sign, nor where two of them would be one.
      .replace(/(?<=[\w)\]]) ([-/%<>]|<<|>>) (?=\w)/g, '$1')
  );
}
