/** Grammars of objects: members in the order of the schema, optional ones present or not. @module */
import {
  choice,
  EMPTY,
  type Expression,
  isNever,
  literal,
  NEVER,
  optional,
  repeat,
  sequence,
} from '../../grammar/expression.js';
import type { JsonSchema } from '../../../core/request/tool.js';
import { type ObjectFrame, colon, comma, constant, constantString, objectKey } from '../../grammar/value-style.js';
import { type ExtraMembers, type ObjectMembers, objectMembers } from './object-members.js';
import { type Alternative, checkSize, nodeWith, type SchemaContext, tightest } from './schema-context.js';
import { atKeyword, SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import { writtenTypes } from './schema-types.js';
import { nameAutomaton, patternAt, stringGrammar } from './string-grammar.js';
import { automatonString } from './automaton-grammar.js';
import {
  type Automaton,
  combineAutomata,
  complement,
  literalsAutomaton,
} from '../../../core/schema/automaton/automaton.js';
import { quotedString } from '../../grammar/string-characters.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';

/** The usual frame: `{"key":value}`. */
function braces(context: SchemaContext): ObjectFrame {
  return {
    open: '{',
    close: '}',
    key: (name) => objectKey(name, context.style),
    extraKeys: true,
  };
}

interface Member {
  text: Expression;
  required: boolean;
}

/** The objects that conform to the alternative. */
export function objectGrammar(
  context: SchemaContext,
  alternative: Alternative,
  frame: ObjectFrame = braces(context),
): Expression {
  const sealed = nodeWith(alternative, 'unevaluatedProperties');
  if (sealed !== undefined && typeof sealed['unevaluatedProperties'] === 'object') {
    throw new SchemaProblem('is only supported as true or false', sealed, 'unevaluatedProperties');
  }
  const found = objectMembers(context.document, alternative);
  const members: Member[] = [];
  for (const [name, schemas] of found.declared) {
    const required = found.required.has(name);
    const isAllowed = allowedName(context, alternative, name);
    const value = isAllowed ? memberValue(context, schemas, frame) : NEVER;
    const text = sequence(frame.key(name), value);
    if (isNever(text) && required) return NEVER;
    if (!isNever(text)) members.push({ text: context.rules.add(text), required });
  }
  const extra = frame.extraKeys ? extraMember(context, alternative, found) : NEVER;
  const min = tightest(alternative, 'minProperties', 'largest') ?? 0;
  const max = tightest(alternative, 'maxProperties', 'smallest');
  const separator = frame.separator ?? comma(context.style);
  const body = new MemberList(context, alternative, { separator, members, extra, min, max }).from(0, 0, {
    first: true,
  });
  return sequence(literal(frame.open), body, literal(frame.close));
}

/** Strings as plain text where the frame asks for it, everything else as JSON. */
function memberValue(context: SchemaContext, schemas: readonly JsonSchema[], { text }: ObjectFrame): Expression {
  if (!text) return context.valueOf(schemas);
  const style = { ...context.style, strings: text };
  const [open, close] = [literal(text.otherOpen ?? ''), literal(text.close)];
  const listed = context.enumerate(schemas);
  if (listed !== undefined) {
    return choice(
      ...listed.map((value) =>
        typeof value === 'string'
          ? constantString(value, style)
          : sequence(open, constant(value, context.style), close),
      ),
    );
  }
  const others = sequence(open, context.valueOf([...schemas, NO_STRING]), close);
  const plain = context.alternatives(schemas).flatMap((alternative) => {
    const texts = context.listed(alternative)?.filter((value) => typeof value === 'string');
    if (texts !== undefined) return texts.map((value) => constantString(value, style));
    return writtenTypes(alternative).has('string') ? [stringGrammar(context, alternative, style)] : [];
  });
  return choice(...plain, others);
}

/** Everything but strings. */
const NO_STRING: JsonSchema = { type: ['number', 'boolean', 'null', 'object', 'array'] };

function allowedName(context: SchemaContext, alternative: Alternative, name: string): boolean {
  return alternative.every((node) => context.conforms(name, (node['propertyNames'] ?? true) as JsonSchema));
}

function extraMember(context: SchemaContext, alternative: Alternative, members: ObjectMembers): Expression {
  const kinds = members.extra.map((kind) => {
    const value = context.valueOf(kind.schemas);
    if (isNever(value)) return NEVER;
    const key = keyOutside(context, alternative, [...members.declared.keys()], kind);
    return sequence(key, colon(context.style), value);
  });
  return context.rules.add(choice(...kinds));
}

interface MemberListParts {
  separator: Expression;
  /** The declared ones. */
  members: readonly Member[];
  /** A member that is not declared; NEVER: there are none. */
  extra: Expression;
  min: number;
  max: number | undefined;
}

/** Writes the list of members. Where `minProperties` or `maxProperties` bounds their number, the rules count them. */
class MemberList {
  readonly #context: SchemaContext;
  readonly #alternative: Alternative;
  readonly #separator: Expression;
  readonly #members: readonly Member[];
  readonly #extra: Expression;
  readonly #min: number;
  readonly #max: number | undefined;
  readonly #counts: boolean;
  readonly #known = new Map<string, Expression>();

  constructor(
    context: SchemaContext,
    alternative: Alternative,
    { separator, members, extra, min, max }: MemberListParts,
  ) {
    this.#context = context;
    this.#alternative = alternative;
    this.#separator = separator;
    this.#members = members;
    this.#extra = extra;
    const required = members.filter((member) => member.required).length;
    const most = isNever(extra) ? members.length : Infinity;
    this.#min = min <= required ? 0 : min;
    this.#max = max === undefined || max >= most ? undefined : max;
    this.#counts = this.#min > 0 || this.#max !== undefined;
  }

  /** What may follow after `written` members, from the declared member `index` on. */
  from(index: number, written: number, { first }: { first: boolean }): Expression {
    if (this.#max !== undefined && written > this.#max) return NEVER;
    const state = `${index} ${this.#counts ? written : 0} ${first}`;
    const known = this.#known.get(state);
    if (known !== undefined) return known;
    checkSize(this.#context, this.#alternative[0]);
    const separator = first ? EMPTY : this.#separator;
    const member = this.#members[index];
    if (member === undefined) return this.#extras(written, first, separator);
    const taken = sequence(separator, member.text, this.from(index + 1, written + 1, { first: false }));
    const expression = member.required ? taken : choice(taken, this.from(index + 1, written, { first }));
    const added = this.#context.rules.add(expression);
    this.#known.set(state, added);
    return added;
  }

  #extras(written: number, first: boolean, separator: Expression): Expression {
    const missing = Math.max(0, this.#min - written);
    // Nothing stops a model from writing one undeclared name twice, which would count once.
    if (missing > 1 && !isNever(this.#extra)) {
      const node = nodeWith(this.#alternative, 'minProperties');
      throw new SchemaProblem(
        'cannot be guaranteed for undeclared properties when it is greater than 1',
        node,
        'minProperties',
      );
    }
    const room = this.#max === undefined ? undefined : this.#max - written;
    if (!first) return repeat(sequence(separator, this.#extra), missing, room);
    if (room === 0) return missing === 0 ? EMPTY : NEVER;
    const more = repeat(sequence(this.#separator, this.#extra), 0, room === undefined ? undefined : room - 1);
    const some = sequence(this.#extra, more);
    return missing === 0 ? optional(some) : some;
  }
}

/**
 * Names of this kind other than the declared ones, which have schemas of their own: of a name that is written twice the
 * second value counts.
 */
function keyOutside(
  context: SchemaContext,
  alternative: Alternative,
  declared: readonly string[],
  kind: ExtraMembers,
): Expression {
  // No schema says which names can be written without quotes, so undeclared names are not written.
  if (context.style.language === 'loose') return NEVER;
  const { document } = context;
  const { work } = document;
  const node = nodeWith(alternative, 'patternProperties');
  const conditions: Automaton[] = [];
  return atKeyword(alternative[0], 'additionalProperties', () => {
    if (declared.length > 0) conditions.push(complement(literalsAutomaton(declared, work)));
    for (const pattern of kind.matching)
      conditions.push(patternAt(document, { node, keyword: 'patternProperties' }, pattern));
    for (const pattern of kind.notMatching)
      conditions.push(complement(patternAt(document, { node, keyword: 'patternProperties' }, pattern)));
    for (const each of alternative) {
      const names = each['propertyNames'];
      if (names === false) return NEVER;
      if (typeof names === 'object') conditions.push(nameAutomaton(context, names as SchemaNode));
    }
    if (conditions.length === 0) return quotedString(context.rules, context.style);
    return automatonString(
      context.rules,
      conditions.reduce((left, right) => combineAutomata(left, right, 'both', work)),
      context.style,
    );
  });
}
