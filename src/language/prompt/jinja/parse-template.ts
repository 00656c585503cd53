/** Reads the statements of a template. @module */
import type { Expression, Parameter, Statement, Target } from './nodes.js';
import { ExpressionParser } from './parse-expression.js';
import { readTokens } from './read-tokens.js';

/** @throws SyntaxError for what Jinja does not know */
export function parseTemplate(source: string): readonly Statement[] {
  return new TemplateParser(new ExpressionParser(readTokens(source))).parse();
}

/** Statements within one another; a source that has more is hostile. */
const MAX_DEPTH = 500;

class TemplateParser {
  readonly #parser: ExpressionParser;
  #depth = 0;

  constructor(parser: ExpressionParser) {
    this.#parser = parser;
  }

  parse(): readonly Statement[] {
    const statements = this.#statements([]);
    if (!this.#parser.at('end'))
      throw new SyntaxError(`The template has an unexpected \`${this.#parser.token.text}\`.`);
    return statements;
  }

  /** Statements up to a tag of one of these names, which is left to read from its name on. */
  #statements(ends: readonly string[]): Statement[] {
    const parser = this.#parser;
    const statements: Statement[] = [];
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError('The statements of the template are too deep.');
    while (!parser.at('end')) {
      const { type, text } = parser.next();
      if (type === 'text') statements.push({ kind: 'text', text });
      else if (type === 'variable') {
        statements.push({ kind: 'output', expression: parser.tuple() });
        parser.expect('end', 'variable');
      } else if (parser.at('name', ...ends) && ends.length > 0) {
        this.#depth -= 1;
        return statements;
      } else statements.push(this.#tag());
    }
    if (ends.length > 0) throw new SyntaxError(`The template ends without \`${ends.at(-1)}\`.`);
    return statements;
  }

  /** What follows a tag, to the tag that ends it. */
  #body(end: string): Statement[] {
    this.#endTag();
    const body = this.#statements([end]);
    this.#parser.next();
    // The name of a block or macro may stand again in its end.
    this.#parser.skip('name');
    this.#endTag();
    return body;
  }

  #endTag(): void {
    this.#parser.expect('end', 'block');
  }

  #tag(): Statement {
    const name = this.#parser.expect('name');
    switch (name) {
      case 'if':
        return this.#if();
      case 'for':
        return this.#for();
      case 'set':
        return this.#set();
      case 'macro':
        return { kind: 'macro', macro: this.#macro(this.#parser.expect('name'), 'endmacro') };
      case 'call':
        return this.#callBlock();
      case 'filter':
        return this.#filterBlock();
      case 'with':
        return this.#with();
      case 'generation':
        return { kind: 'group', body: this.#body('endgeneration') };
      case 'block':
        this.#parser.expect('name');
        return { kind: 'group', body: this.#body('endblock') };
      case 'do': {
        const expression = this.#parser.tuple();
        this.#endTag();
        return { kind: 'do', expression };
      }
      case 'break':
      case 'continue':
        this.#endTag();
        return { kind: name };
      default:
        throw new SyntaxError(`The template has an unknown tag \`${name}\`.`);
    }
  }

  #if(): Statement {
    const condition = this.#parser.tuple();
    this.#endTag();
    const body = this.#statements(['elif', 'else', 'endif']);
    const how = this.#parser.next().text;
    if (how === 'elif') return { kind: 'if', condition, body, otherwise: [this.#if()] };
    return { kind: 'if', condition, body, otherwise: how === 'else' ? this.#body('endif') : this.#ended() };
  }

  #ended(): readonly Statement[] {
    this.#endTag();
    return [];
  }

  #for(): Statement {
    const parser = this.#parser;
    const target = this.#target(['in']);
    parser.expect('name', 'in');
    const list = parser.listOfLoop();
    const condition = parser.skip('name', 'if') ? parser.expression() : undefined;
    const recursive = parser.skip('name', 'recursive');
    this.#endTag();
    const body = this.#statements(['else', 'endfor']);
    const otherwise = parser.next().text === 'else' ? this.#body('endfor') : this.#ended();
    return { kind: 'for', target, list, condition, recursive, body, otherwise };
  }

  #set(): Statement {
    const parser = this.#parser;
    const target = this.#target([]);
    if (parser.skip('operator', '=')) {
      const value = parser.tuple();
      this.#endTag();
      return { kind: 'set', target, value };
    }
    const filters = parser.filters();
    return { kind: 'set-block', target, filters, body: this.#body('endset') };
  }

  #target(ends: readonly string[]): Target {
    return readTarget(this.#parser.tuple(() => this.#targetItem(), ends));
  }

  /** A name, a field or several in parentheses. */
  #targetItem(): Expression {
    const parser = this.#parser;
    if (parser.skip('operator', '(')) {
      const several = parser.tuple(() => this.#targetItem());
      parser.expect('operator', ')');
      return several;
    }
    const object: Expression = { kind: 'name', name: parser.expect('name') };
    return parser.skip('operator', '.') ? { kind: 'attribute', object, name: parser.expect('name') } : object;
  }

  #parameters(): Parameter[] {
    const parser = this.#parser;
    const parameters: Parameter[] = [];
    parser.expect('operator', '(');
    while (!parser.at('operator', ')')) {
      if (parameters.length > 0) parser.expect('operator', ',');
      const name = parser.expect('name');
      parameters.push({ name, otherwise: parser.skip('operator', '=') ? parser.expression() : undefined });
    }
    parser.expect('operator', ')');
    return parameters;
  }

  #macro(name: string, end: string): { name: string; parameters: Parameter[]; body: Statement[] } {
    return { name, parameters: this.#parameters(), body: this.#body(end) };
  }

  #callBlock(): Statement {
    const parser = this.#parser;
    const parameters = parser.at('operator', '(') ? this.#parameters() : [];
    const call = parser.expression();
    return { kind: 'call-block', call, macro: { name: 'caller', parameters, body: this.#body('endcall') } };
  }

  #filterBlock(): Statement {
    const filters = [this.#parser.filter(), ...this.#parser.filters()];
    return { kind: 'filter-block', filters, body: this.#body('endfilter') };
  }

  #with(): Statement {
    const parser = this.#parser;
    const values: [Target, Expression][] = [];
    while (!parser.at('end')) {
      if (values.length > 0) parser.expect('operator', ',');
      const target = readTarget(this.#targetItem());
      parser.expect('operator', '=');
      values.push([target, parser.expression()]);
    }
    return { kind: 'with', values, body: this.#body('endwith') };
  }
}

/** @throws SyntaxError for what no value can be given to */
function readTarget(expression: Expression): Target {
  if (expression.kind === 'name') return { kind: 'name', name: expression.name };
  if (expression.kind === 'attribute' && expression.object.kind === 'name')
    return { kind: 'field', namespace: expression.object.name, name: expression.name };
  if (expression.kind === 'tuple') return { kind: 'several', targets: expression.items.map(readTarget) };
  throw new SyntaxError('The template gives a value to what can have none.');
}
