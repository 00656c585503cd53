/**
 * The text of an HTML document. Workers and Node have no parser of it, and a document must read alike wherever its service
 * runs, so this reads the tokens of HTML: tags, comments and texts, of which a page shows some.
 * @module
 */
import { decodeEntities } from './entities.js';

/** What of a document nobody reads. */
const UNSEEN = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'noembed',
  'noframes',
  'iframe',
  'object',
  'svg',
  'math',
]);

/** Elements whose content is text up to their end tag. */
const RAW = new Set(['script', 'style', 'noscript', 'noembed', 'noframes', 'iframe', 'textarea', 'title', 'xmp']);

/** Elements that begin and end a line. */
const LINES = new Set(
  (
    'address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol optgroup option p pre section select summary table ' +
    'tbody tfoot thead title tr ul xmp'
  ).split(' '),
);

/** Elements that keep their white space. */
const KEEPING = new Set(['pre', 'textarea', 'xmp']);

/** A comment, a declaration, or a tag with its attributes, whose values may hold `>`. */
const MARKUP =
  /<!--(?:>|->|[^]*?(?:--!?>|$))|<[!?][^>]*(?:>|$)|<(\/?)([a-z][^\s/>]*)((?:=\s*"[^"]*(?:"|$)|=\s*'[^']*(?:'|$)|[^>])*)(?:>|$)/gi;

export function htmlText(html: string): string {
  const text = new PageText();
  MARKUP.lastIndex = 0;
  let end = 0;
  for (let found = MARKUP.exec(html); found; found = MARKUP.exec(html)) {
    text.add(html.slice(end, found.index));
    end = MARKUP.lastIndex;
    const name = found[2]?.toLowerCase();
    if (name === undefined) continue;
    if (found[1] === '/') text.close(name);
    else {
      text.open(name, /\/\s*$/.test(found[3] ?? ''));
      if (!RAW.has(name)) continue;
      const close = new RegExp(`</${name}(?=[\\s/>])|$`, 'gi');
      close.lastIndex = end;
      const until = close.exec(html)!.index;
      text.add(html.slice(end, until));
      end = MARKUP.lastIndex = until;
    }
  }
  text.add(html.slice(end));
  return text.result();
}

/** What was read so far. */
class PageText {
  #text = '';
  /** Open elements that are not shown. */
  readonly #unseen: string[] = [];
  readonly #keeping: string[] = [];

  add(source: string): void {
    if (source === '' || this.#unseen.length > 0) return;
    const decoded = decodeEntities(source);
    if (this.#keeping.length > 0) this.#text += decoded;
    else {
      const flat = decoded.replaceAll(/[ \t\r\n\f]+/g, ' ');
      this.#text += /(?:^|\s)$/.test(this.#text.slice(-1)) ? flat.replace(/^ /, '') : flat;
    }
  }

  open(name: string, isClosed: boolean): void {
    if (LINES.has(name)) this.#breakLine();
    else if (name === 'td' || name === 'th') this.#separate();
    if (isClosed && !RAW.has(name)) return;
    if (UNSEEN.has(name)) this.#unseen.push(name);
    else if (KEEPING.has(name)) this.#keeping.push(name);
  }

  close(name: string): void {
    for (const open of [this.#unseen, this.#keeping]) {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
    }
    if (LINES.has(name)) this.#breakLine();
  }

  result(): string {
    const lines = this.#text.split('\n').map((line) => line.trimEnd());
    return lines
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
  }

  #breakLine(): void {
    if (this.#unseen.length === 0 && this.#text !== '' && !this.#text.endsWith('\n')) this.#text += '\n';
  }

  /** Between two cells of a row. */
  #separate(): void {
    if (this.#unseen.length === 0 && !/(?:^|\s)$/.test(this.#text.slice(-1))) this.#text += '\t';
  }
}
