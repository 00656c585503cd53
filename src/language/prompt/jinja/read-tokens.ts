/** Cuts the source of a template into tokens, as Jinja does with `trim_blocks` and `lstrip_blocks`. @module */

export type TokenType = 'text' | 'variable' | 'block' | 'end' | 'name' | 'string' | 'integer' | 'float' | 'operator';

/** `variable` and `block` begin a tag, `end` ends one; the last token of all is an `end` without text. */
export interface Token {
  type: TokenType;
  text: string;
}

const TAG = /\{(?:(%)([-+]?)\s*raw\s*(-?)%\}|([{%#])([-+]?))/g;
const COMMENT_END = /(?:\+#\}|-#\}\s*|#\}\n?)/g;
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const VARIABLE_END = /-\}\}\s*|\}\}/y;
const BLOCK_END = /\+%\}|-%\}\s*|%\}\n?/y;
const SPACE = /\s+/y;
const FLOAT = /(?<!\.)\d[\d_]*(?:(?:\.[\d_]+)?e[-+]?[\d_]+|\.\d[\d_]*)/iy;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|\d[\d_]*/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}_]*/uy;
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}><=.:|,;]/y;

const CLOSED_BY: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** @throws SyntaxError */
export function readTokens(source: string): Token[] {
  return new TokenReader(source.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')).read();
}

class TokenReader {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** The last tag ended with a line, or nothing was read. */
  #startsLine = true;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Token[] {
    while (this.#at < this.#source.length) {
      TAG.lastIndex = this.#at;
      const found = TAG.exec(this.#source);
      if (!found) {
        this.#push('text', this.#source.slice(this.#at));
        break;
      }
      this.#tag(found);
    }
    this.#push('end', '');
    return this.#tokens;
  }

  #tag(found: RegExpExecArray): void {
    const [tag, raw, rawSign, rawClose, kind = '', sign = ''] = found;
    this.#before(found.index, raw ? rawSign : sign, kind !== '{');
    this.#at = found.index + tag.length;
    if (raw) this.#raw(rawClose === '-');
    else if (kind === '#') this.#skip(COMMENT_END, 'a comment');
    else this.#inside(kind === '{' ? 'variable' : 'block');
  }

  /** The text before a tag. */
  #before(end: number, sign: string | undefined, mayStrip: boolean): void {
    let text = this.#source.slice(this.#at, end);
    const line = text.lastIndexOf('\n') + 1;
    if (sign === '-') text = text.trimEnd();
    else if (sign !== '+' && mayStrip && (line > 0 || this.#startsLine) && text.slice(line).trim() === '')
      text = text.slice(0, line);
    this.#push('text', text);
  }

  #push(type: TokenType, text: string): void {
    if (type !== 'text' || text !== '') this.#tokens.push({ type, text });
  }

  /** @returns what the pattern found */
  #skip(pattern: RegExp, what: string): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const end = pattern.exec(this.#source);
    if (!end) throw new SyntaxError(`The template does not end ${what}.`);
    this.#endTag(end.index + end[0].length);
    return end;
  }

  #endTag(at: number): void {
    this.#at = at;
    this.#startsLine = this.#source[at - 1] === '\n';
  }

  #raw(strips: boolean): void {
    const from = this.#at;
    const end = this.#skip(RAW_END, 'what stands in `raw`');
    let text = this.#source.slice(from, end.index);
    if (strips) text = text.trimStart();
    const line = text.lastIndexOf('\n') + 1;
    if (end[1] === '-') text = text.trimEnd();
    else if (end[1] !== '+' && line > 0 && text.slice(line).trim() === '') text = text.slice(0, line);
    this.#push('text', text);
  }

  /** The tokens of a tag. */
  #inside(type: 'variable' | 'block'): void {
    this.#push(type, '');
    const end = type === 'variable' ? VARIABLE_END : BLOCK_END;
    const open: string[] = [];
    for (;;) {
      this.#match(SPACE);
      if (open.length === 0 && this.#match(end) !== undefined) break;
      this.#token(open);
    }
    this.#startsLine = this.#source[this.#at - 1] === '\n';
    this.#push('end', type);
  }

  #token(open: string[]): void {
    const kinds = [
      ['float', FLOAT],
      ['integer', INTEGER],
      ['name', NAME],
      ['string', STRING],
      ['operator', OPERATOR],
    ] as const;
    for (const [type, pattern] of kinds) {
      const text = this.#match(pattern);
      if (text === undefined) continue;
      if (type === 'operator') balance(text, open);
      return this.#push(type, type === 'string' ? unescaped(text.slice(1, -1)) : text);
    }
    const rest = this.#source.slice(this.#at, this.#at + 20);
    throw new SyntaxError(`The template has an unexpected ${rest === '' ? 'end' : `\`${rest}\``}.`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#source)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }
}

function balance(operator: string, open: string[]): void {
  const close = CLOSED_BY[operator];
  if (close !== undefined) open.push(close);
  else if (/[)\]}]/.test(operator) && open.pop() !== operator)
    throw new SyntaxError(`The template has an unexpected \`${operator}\`.`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

/** As in Python, what is not an escape stays as it is. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^]))/g,
    (found, ...[x, u, long, octal, other]: (string | undefined)[]) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[other!] ?? (/['"\\]/.test(other!) ? other! : found);
    },
  );
}
