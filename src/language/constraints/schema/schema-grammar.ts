/** Converts a JSON Schema to a grammar; every value that the grammar allows conforms to the schema. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import { anyArray, anyObject } from '../../grammar/any-value.js';
import { type Expression, NEVER, choice, rule } from '../../grammar/expression.js';
import { type ObjectFrame, type ValueStyle, constant } from '../../grammar/value-style.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import { arrayGrammar } from './array-grammar.js';
import { numberGrammar } from './number-grammar.js';
import { objectGrammar } from './object-grammar.js';
import { type Alternative, checkSize, nodeWith, type SchemaContext } from './schema-context.js';
import { canonicalText } from './canonical-text.js';
import { Conformance } from './conformance.js';
import { SchemaAlternatives } from './schema-alternatives.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';
import { type SchemaType, UNSUPPORTED_KEYWORDS } from '../../../core/schema/schema-keywords.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import { OBJECT_KEYWORDS, writtenTypes } from './schema-types.js';
import { stringGrammar } from './string-grammar.js';
import type { PatternedDocument } from './patterned-document.js';

/** Turns the schemas of one document into rules of a grammar. */
export class SchemaGrammar implements SchemaContext {
  readonly document: PatternedDocument;
  readonly rules: GrammarRules;
  readonly style: ValueStyle;
  readonly #names = new Map<SchemaNode, number>();
  readonly #known = new Map<string, Expression>();
  readonly #conformance: Conformance;
  readonly #alternatives: SchemaAlternatives;
  /**
   * Rules that have no body yet. They are made one after another, so that long chains of schemas need no deep stack.
   */
  readonly #pending: { name: string; nodes: readonly SchemaNode[] }[] = [];

  constructor(document: PatternedDocument, rules: GrammarRules, style: ValueStyle) {
    this.document = document;
    this.rules = rules;
    this.style = style;
    this.#conformance = new Conformance(document);
    this.#alternatives = new SchemaAlternatives(document, this.#conformance);
  }

  /**
   * The values that conform to the whole document and to another schema. Throws SchemaProblem for what a grammar cannot
   * express.
   */
  root(also: JsonSchema = true): Expression {
    const root = this.valueOf([this.document.root, also]);
    this.#makePending();
    return root;
  }

  /** The objects that conform to the whole document, written in another frame than braces. */
  rootObject(frame: ObjectFrame): Expression {
    const alternatives = this.#alternatives.of([this.document.root]).filter((each) => writtenTypes(each).has('object'));
    const root = choice(
      ...alternatives.map((alternative) => {
        this.#refuseUnsupported(alternative);
        return objectGrammar(this, alternative, frame);
      }),
    );
    this.#makePending();
    return root;
  }

  valueOf(schemas: readonly JsonSchema[]): Expression {
    if (schemas.includes(false)) return NEVER;
    const nodes = [...new Set(schemas.filter((schema) => typeof schema === 'object'))];
    this.document.work.spend(5 + nodes.length);
    const key = nodes
      .map((node) => this.#nameOf(node))
      .toSorted((left, right) => left - right)
      .join('&');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    checkSize(this, nodes[0]);
    const name = this.rules.reserve();
    this.#known.set(key, rule(name));
    this.#pending.push({ name, nodes });
    return rule(name);
  }

  #makePending(): void {
    for (const { name, nodes } of this.#pending) {
      const alternatives = this.#alternatives.of(nodes);
      this.rules.define(name, choice(...alternatives.map((alternative) => this.#alternative(alternative))));
    }
    this.#pending.length = 0;
  }

  conforms(value: unknown, schema: JsonSchema): boolean {
    return this.#conformance.conforms(value, schema);
  }

  alternatives(schemas: readonly JsonSchema[]): Alternative[] {
    const alternatives = this.#alternatives.of(schemas);
    for (const alternative of alternatives) this.#refuseUnsupported(alternative);
    return alternatives;
  }

  enumerate(schemas: readonly JsonSchema[]): unknown[] | undefined {
    const values: unknown[] = [];
    for (const alternative of this.#alternatives.of(schemas)) {
      const listed = this.listed(alternative);
      if (listed === undefined) return undefined;
      values.push(...listed);
    }
    return [...new Map(values.map((value) => [canonicalText(value, this.document.work), value])).values()];
  }

  #alternative(alternative: Alternative): Expression {
    const listed = this.listed(alternative);
    if (listed !== undefined) return choice(...listed.map((value) => constant(value, this.style)));
    this.#refuseUnsupported(alternative);
    return choice(...[...writtenTypes(alternative)].map((type) => this.#ofType(type, alternative)));
  }

  /** The values of `enum` or `const` that conform to all keywords, also to those that a grammar cannot express. */
  listed(alternative: Alternative): unknown[] | undefined {
    for (const node of alternative) {
      const values = Object.hasOwn(node, 'const') ? [node['const']] : (node['enum'] as unknown[] | undefined);
      if (values !== undefined)
        return values.filter((value) => alternative.every((each) => this.#conformance.conforms(value, each)));
    }
    return undefined;
  }

  #ofType(type: SchemaType, alternative: Alternative): Expression {
    switch (type) {
      case 'null':
        return constant(null, this.style);
      case 'boolean':
        return choice(constant(true, this.style), constant(false, this.style));
      case 'integer':
      case 'number':
        return numberGrammar(this, alternative, type === 'integer');
      case 'string':
        return stringGrammar(this, alternative);
      case 'array':
        return says(alternative, ARRAY_KEYWORDS) ? arrayGrammar(this, alternative) : anyArray(this.rules, this.style);
      case 'object':
        return says(alternative, OBJECT_KEYWORDS)
          ? objectGrammar(this, alternative)
          : anyObject(this.rules, this.style);
    }
  }

  #refuseUnsupported(alternative: Alternative): void {
    const node = nodeWith(alternative, ...UNSUPPORTED_KEYWORDS);
    const keyword = UNSUPPORTED_KEYWORDS.find((each) => node !== undefined && Object.hasOwn(node, each));
    if (node !== undefined) throw new SchemaProblem('is not supported', node, keyword);
  }

  #nameOf(node: SchemaNode): number {
    const known = this.#names.get(node);
    if (known !== undefined) return known;
    this.#names.set(node, this.#names.size);
    return this.#names.size - 1;
  }
}

const ARRAY_KEYWORDS = [
  'items',
  'prefixItems',
  'additionalItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'unevaluatedItems',
];

/** Whether a schema has one of these keywords. Without any, values of the type are free, up to a limited depth. */
function says(alternative: Alternative, keywords: readonly string[]): boolean {
  return nodeWith(alternative, ...keywords) !== undefined;
}
