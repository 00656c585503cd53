/** Grammars of strings with lengths, patterns and formats. @module */
import { automatonString } from './automaton-grammar.js';
import { type Expression, NEVER } from '../../grammar/expression.js';
import { quotedString } from '../../grammar/string-characters.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import { type Alternative, EXCLUDED, nodeWith, type SchemaContext, tightest } from './schema-context.js';
import { atKeyword, SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import {
  type Automaton,
  combineAutomata,
  complement,
  countLive,
  lengthAutomaton,
  literalsAutomaton,
  shortestLength,
  TooManyStates,
} from '../../../core/schema/automaton/automaton.js';
import { greatestCount, parsePattern } from '../../../core/schema/automaton/pattern-syntax.js';
import { keptFormat } from '../../../core/schema/formats.js';
import { FORMAT_HINT, type SchemaNode } from '../../../core/schema/schema-document.js';
import { allowedTypes } from './schema-types.js';
import type { PatternedDocument } from './patterned-document.js';

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

/** What restricts the strings of an alternative: its patterns, its formats, and what other branches of a `oneOf` take. */
interface StringParts {
  patterns: readonly StringPattern[];
  excluded: readonly Alternative[];
  min: number;
  max: number | undefined;
}

interface StringPattern {
  node: SchemaNode;
  keyword: string;
  pattern: string;
}

/** The strings that the alternative's patterns, formats and lengths allow; undefined: all strings of its lengths. */
function stringAutomaton(context: SchemaContext, alternative: Alternative): Automaton | undefined {
  const parts = stringParts(alternative);
  if (parts.patterns.length === 0 && parts.excluded.length === 0) return undefined;
  return fittingAutomaton(context, alternative, parts);
}

function stringParts(alternative: Alternative): StringParts {
  const patterns = alternative.flatMap((node): StringPattern[] =>
    typeof node['pattern'] === 'string' ? [{ node, keyword: 'pattern', pattern: node['pattern'] }] : [],
  );
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  let max = tightest(alternative, 'maxLength', 'smallest');
  const isAlone = patterns.length === 0;
  for (const node of alternative) {
    const format = keptFormat(node[FORMAT_HINT]);
    if (format === undefined) continue;
    const { written = format } = format;
    // Beside a pattern, rare forms may be what it asks for.
    const { pattern, maxLength } = isAlone && min <= (written.maxLength ?? min) ? written : format;
    patterns.push({ node, keyword: 'format', pattern });
    if (maxLength !== undefined) max = Math.min(max ?? maxLength, maxLength);
  }
  const excluded = alternative.flatMap((node) => (node[EXCLUDED] as readonly Alternative[] | undefined) ?? []);
  return { patterns, excluded, min, max };
}

/** The greatest `minLength` or `maxLength` that is combined with a pattern. */
const MAX_COUNTED = 256;

/** Counts and lengths that are tried where greater ones would make the automaton too large. */
const LOWERED = [256, 192, 128, 96, 64, 48, 32, 24, 16, 8];

/** The strings of all parts, or as many of them as an automaton of the grammar's size can take. */
function fittingAutomaton(context: SchemaContext, alternative: Alternative, parts: StringParts): Automaton {
  const { document } = context;
  const { patterns, work } = document;
  const excluded = parts.excluded.map((each) => complement(wideAutomaton(context, each)));
  const greatest = Math.max(
    0,
    ...parts.patterns.map(({ node, keyword, pattern }) =>
      atKeyword(node, keyword, () => greatestCount(parsePattern(pattern))),
    ),
  );
  const base = parts.patterns.length > 0 ? [] : [lengthAutomaton(0, undefined, work)];
  return firstFitting([undefined, ...LOWERED.filter((count) => count < greatest)], (count) => {
    const own = parts.patterns.map(({ node, keyword, pattern }) =>
      atKeyword(node, keyword, () => patterns.automaton(pattern, count)),
    );
    const whole = [...base, ...own, ...excluded].reduce((left, right) => combineAutomata(left, right, 'both', work));
    return withLength(context, alternative, whole, parts);
  });
}

/** The first result that needs no more states than there may be. */
function firstFitting<T>(tried: readonly T[], make: (each: T) => Automaton): Automaton {
  let problem: unknown;
  for (const each of tried) {
    try {
      return make(each);
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error;
      problem ??= error;
    }
  }
  throw problem;
}

/** Those of the lengths; where that takes too many states, up to a lower length. */
function withLength(
  { document: { work }, rules }: SchemaContext,
  alternative: Alternative,
  whole: Automaton,
  { min, max }: Pick<StringParts, 'min' | 'max'>,
): Automaton {
  const limited = (automaton: Automaton): Automaton => {
    if (countLive(automaton) > rules.mostStates) throw new TooManyStates(rules.mostStates);
    return automaton;
  };
  const shortest = shortestLength(whole);
  if (shortest === undefined || (min === 0 && max === undefined)) return limited(whole);
  const node = nodeWith(alternative, 'minLength', 'maxLength');
  if (min > MAX_COUNTED)
    throw new SchemaProblem(`is only supported up to ${MAX_COUNTED} together with \`pattern\``, node, 'minLength');
  const least = Math.max(min, shortest);
  const lengths = max === undefined ? [undefined] : [Math.min(max, Math.max(least, MAX_COUNTED))];
  // What is shorter than the bound conforms as well.
  const lowered = LOWERED.filter(
    (length) => max !== undefined && length < Math.min(max, MAX_COUNTED) && length >= least,
  );
  return atKeyword(node, 'pattern', () =>
    firstFitting([...lengths, ...lowered], (length) =>
      limited(combineAutomata(whole, lengthAutomaton(min, length, work), 'both', work)),
    ),
  );
}

/** At least the strings that an alternative allows, without lowered bounds: for what must not be written. */
function wideAutomaton({ document }: SchemaContext, alternative: Alternative): Automaton {
  const { patterns, work } = document;
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  const max = tightest(alternative, 'maxLength', 'smallest');
  const listed = alternative.flatMap((node): (readonly string[])[] => {
    const values = Object.hasOwn(node, 'const') ? [node['const']] : (node['enum'] as unknown[] | undefined);
    return values === undefined ? [] : [values.filter((value) => typeof value === 'string')];
  });
  const parts = [
    lengthAutomaton(min, max, work),
    ...listed.map((texts) => literalsAutomaton(texts, work)),
    ...alternative.flatMap((node) => {
      const own = [node['pattern'], keptFormat(node[FORMAT_HINT])?.pattern];
      return own.flatMap((pattern) => (typeof pattern === 'string' ? [patterns.automaton(pattern)] : []));
    }),
  ];
  return parts.reduce((left, right) => combineAutomata(left, right, 'both', work));
}

/** The strings that conform to a schema, for names of members. */
export function nameAutomaton(context: SchemaContext, schema: SchemaNode): Automaton {
  const listed = context.enumerate([schema]);
  const { work } = context.document;
  if (listed !== undefined)
    return literalsAutomaton(
      listed.filter((value) => typeof value === 'string'),
      work,
    );
  return context
    .alternatives([schema])
    .filter((alternative) => allowedTypes(alternative).has('string'))
    .map((alternative) => fittingAutomaton(context, alternative, stringParts(alternative)))
    .reduce((left, right) => combineAutomata(left, right, 'either', work), literalsAutomaton([], work));
}

/** The automaton of a pattern; a SchemaProblem names the keyword. */
export function patternAt(
  { patterns }: PatternedDocument,
  { node, keyword }: { node: SchemaNode | undefined; keyword: string },
  pattern: string,
): Automaton {
  return atKeyword(node, keyword, () => patterns.automaton(pattern));
}
