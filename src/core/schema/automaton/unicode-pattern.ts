/**
 * Patterns as the `u` flag wants them. Authors write `\-` and `\:` and a lone `]`, which only mean one thing; what means
 * something in another language and nothing, or something else, in JavaScript is refused by name.
 * @module
 */
import { SchemaProblem } from '../limits/schema-problem.js';

const ESCAPE =
  /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[0-9dDwWsSbBfnrtv]|[^A-Za-z0-9])/suy;
const QUANTIFIER = /\{\d+(?:,\d*)?\}/y;
const GROUP = /\(\?(?:[:=!]|<[=!]|<[^>]*>)/y;
/** What groups and classes of other languages begin with. */
const FOREIGN_GROUP = /\(\?(?:P[<=>]?|[a-zA-Z-]+[:)]?|.)?/suy;
const FOREIGN_CLASS = /\[\^?\[:\^?[a-z]+:\]/y;

const CLASS_ESCAPE = /\\[dDwWsSpP]/y;

/** Escaped, these are themselves with the flag, too. */
const SYNTAX = /^\\[\^$\\.*+?()[\]{}|/]$/;

/**
 * The same pattern, such that the `u` flag accepts it if JavaScript does.
 * @throws SchemaProblem that names what only other languages have
 */
export function unicodePattern(pattern: string): string {
  let written = '';
  let inClass = false;
  let before = '';
  for (let at = 0; at < pattern.length;) {
    const found = (syntax: RegExp, offset = 0): string | undefined => {
      syntax.lastIndex = at + offset;
      return syntax.exec(pattern)?.[0];
    };
    let piece = pattern[at]!;
    let text = piece;
    if (piece === '\\') {
      piece = found(ESCAPE) ?? foreign(pattern.slice(at, at + 2));
      text = isNeedless(piece, inClass) ? piece.slice(1) : piece;
    } else if (inClass) {
      inClass = piece !== ']';
      // `[\w-.]`: a class is no end of a range.
      if (piece === '-' && (/^\\[dDwWsSpP]/.test(before) || found(CLASS_ESCAPE, 1))) text = '\\-';
    } else if (piece === '[') {
      const name = found(FOREIGN_CLASS);
      if (name !== undefined) foreign(name);
      inClass = true;
    } else if (piece === '(' && pattern[at + 1] === '?') {
      text = piece = found(GROUP) ?? foreign(found(FOREIGN_GROUP)!);
    } else if (piece === '{') {
      piece = found(QUANTIFIER) ?? piece;
      text = piece === '{' ? '\\{' : piece;
    } else if (piece === ']' || piece === '}') {
      text = `\\${piece}`;
    }
    written += text;
    before = piece;
    at += piece.length;
  }
  return written;
}

/** Whether an escape only says what its character says anyway, which the flag forbids. */
function isNeedless(escape: string, inClass: boolean): boolean {
  if (/^\\[A-Za-z0-9]/.test(escape) || SYNTAX.test(escape)) return false;
  return !(inClass && escape === '\\-');
}

function foreign(text: string): never {
  throw new SchemaProblem(`uses \`${text}\`, which is not supported: patterns are JavaScript's, with the \`u\` flag`);
}
