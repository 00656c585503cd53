/** Grammars of strings with lengths, patterns and formats. @module */
import { automatonString } from './automaton-grammar.js';
import { type Expression, NEVER } from '../../grammar/expression.js';
import { quotedString } from '../../grammar/string-characters.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import { type Alternative, nodeWith, type SchemaContext, tightest } from './schema-context.js';
import { atKeyword, SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import {
  type Automaton,
  combineAutomata,
  lengthAutomaton,
  literalsAutomaton,
} from '../../../core/schema/automaton/automaton.js';
import { FORMAT_HINT, type SchemaDocument, type SchemaNode } from '../../../core/schema/schema-document.js';
import { allowedTypes } from './schema-types.js';

/** Most characters of a string: a greater minimum is refused, a greater maximum is lowered to it. */
const MAX_LENGTH = 10_000;

/** The strings that conform to the alternative. @param style of these strings, where it is not the context's */
export function stringGrammar(
  context: SchemaContext,
  alternative: Alternative,
  style: ValueStyle = context.style,
): Expression {
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  const max = tightest(alternative, 'maxLength', 'smallest');
  if (max !== undefined && max < min) return NEVER;
  const automaton = stringAutomaton(context, alternative);
  if (automaton !== undefined) {
    return atKeyword(nodeWith(alternative, 'pattern', 'maxLength'), 'pattern', () =>
      automatonString(context.rules, automaton, style),
    );
  }
  if (min > MAX_LENGTH)
    throw new SchemaProblem(`must be at most ${MAX_LENGTH}`, nodeWith(alternative, 'minLength'), 'minLength');
  return quotedString(context.rules, style, min, max === undefined ? undefined : Math.min(max, MAX_LENGTH));
}

/** Patterns for a `format` without a `pattern`. In JSON Schema it is an annotation, but callers expect it to hold. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  time: '^(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$',
  'date-time':
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$',
  email: '^[a-zA-Z0-9_+-]+(?:\\.[a-zA-Z0-9_+-]+)*@(?:[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*\\.)+[a-zA-Z]{2,}$',
  uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  ipv4: '^(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)$',
};

/** The greatest `minLength` or `maxLength` that is combined with a pattern. */
const MAX_COUNTED = 256;

/** The strings that the alternative's patterns, formats and lengths allow; undefined: all strings of its lengths. */
function stringAutomaton({ document }: SchemaContext, alternative: Alternative): Automaton | undefined {
  const patterns = alternative.flatMap((node) =>
    typeof node['pattern'] === 'string' ? [{ node, pattern: node['pattern'] }] : [],
  );
  if (patterns.length === 0) {
    for (const node of alternative) {
      const pattern = FORMATS[String(node[FORMAT_HINT])];
      if (pattern !== undefined) patterns.push({ node, pattern });
    }
  }
  if (patterns.length === 0) return undefined;
  const automaton = patterns
    .map(({ node, pattern }) => patternAt(document, { node, keyword: 'pattern' }, pattern))
    .reduce((left, right) => combineAutomata(left, right, 'both', document.work));
  return withLength(document, alternative, automaton);
}

function withLength({ work }: SchemaDocument, alternative: Alternative, automaton: Automaton): Automaton {
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  const max = tightest(alternative, 'maxLength', 'smallest');
  if (min === 0 && max === undefined) return automaton;
  const keyword = (max ?? 0) > MAX_COUNTED ? 'maxLength' : 'minLength';
  // What is shorter than the bound conforms as well.
  const bound = max === undefined ? undefined : Math.min(max, MAX_COUNTED);
  const node = nodeWith(alternative, 'minLength', 'maxLength');
  if (min > MAX_COUNTED)
    throw new SchemaProblem(`is only supported up to ${MAX_COUNTED} together with \`pattern\``, node, keyword);
  return atKeyword(node, 'pattern', () => combineAutomata(automaton, lengthAutomaton(min, bound, work), 'both', work));
}

/** The strings that conform to a schema, for names of members. */
export function nameAutomaton(context: SchemaContext, schema: SchemaNode): Automaton {
  const listed = context.enumerate([schema]);
  const { document } = context;
  const { work } = document;
  if (listed !== undefined)
    return literalsAutomaton(
      listed.filter((value) => typeof value === 'string'),
      work,
    );
  const ways = context
    .alternatives([schema])
    .filter((alternative) => allowedTypes(alternative).has('string'))
    .map(
      (alternative) =>
        stringAutomaton(context, alternative) ?? withLength(document, alternative, lengthAutomaton(0, undefined, work)),
    );
  return ways.reduce((left, right) => combineAutomata(left, right, 'either', work), literalsAutomaton([], work));
}

/** The automaton of a pattern; a SchemaProblem names the keyword. */
export function patternAt(
  { patterns }: SchemaDocument,
  { node, keyword }: { node: SchemaNode | undefined; keyword: string },
  pattern: string,
): Automaton {
  return atKeyword(node, keyword, () => patterns.automaton(pattern));
}
