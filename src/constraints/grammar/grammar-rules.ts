/** A grammar under construction, and its text in the EBNF dialect of xgrammar. @module */
import { type CodePointRange, type Expression, NEVER, choice, isNever, repeat, rule, sequence } from './expression.js';
import { factorChoices } from './factor-choices.js';

/** Named rules. Rules may refer to rules that are defined later, and to themselves. */
export class GrammarRules {
  readonly #bodies = new Map<string, Expression>();
  readonly #shared = new Map<string, unknown>();
  #counter = 0;

  /** Number of rules, for size limits. */
  get size(): number {
    return this.#counter;
  }

  /** A fresh rule name; its body comes with {@link define}. */
  reserve(): string {
    this.#counter += 1;
    return `r${this.#counter}`;
  }

  define(name: string, body: Expression): void {
    this.#bodies.set(name, body);
  }

  /** Puts an expression in a rule of its own, so that it can be used several times without growing the grammar. */
  add(body: Expression): Expression {
    if (body.type === 'rule' || isNever(body) || (body.type === 'literal' && body.text.length < 8)) return body;
    const name = this.reserve();
    this.define(name, body);
    return rule(name);
  }

  /** What `make` made when it was first asked for under this key: for pieces that many rules use. */
  shared<T>(key: string, make: () => T): T {
    const known = this.#shared.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    this.#shared.set(key, made);
    return made;
  }

  /**
   * The grammar as text, or undefined when no finite text matches `root`. Alternatives that could never be finished
   * (a recursion without an end) are left out, so that whoever follows the grammar always finds an end.
   */
  toEbnf(root: Expression): string | undefined {
    const possible = this.#possibleRules();
    const pruned = prune(root, possible);
    if (isNever(pruned)) return undefined;
    const bodies = (name: string): Expression => prune(this.#bodies.get(name) ?? NEVER, possible);
    const body = factorChoices(pruned, bodies);
    const lines = [`root ::= ${print(body)}`];
    const seen = new Set(rulesIn(body));
    const pending = [...seen];
    for (const name of pending) {
      const factored = factorChoices(bodies(name), bodies);
      lines.push(`${name} ::= ${print(factored)}`);
      for (const next of rulesIn(factored)) {
        if (!seen.has(next)) {
          seen.add(next);
          pending.push(next);
        }
      }
    }
    return `${lines.join('\n')}\n`;
  }

  /** The rules that some finite text matches: the least fixed point. */
  #possibleRules(): Set<string> {
    const possible = new Set<string>();
    for (let grown = true; grown;) {
      grown = false;
      for (const [name, body] of this.#bodies) {
        if (!possible.has(name) && !isNever(prune(body, possible))) {
          possible.add(name);
          grown = true;
        }
      }
    }
    return possible;
  }
}

function prune(expression: Expression, possible: ReadonlySet<string>): Expression {
  switch (expression.type) {
    case 'rule':
      return possible.has(expression.name) ? expression : NEVER;
    case 'sequence':
      return sequence(...expression.parts.map((part) => prune(part, possible)));
    case 'choice':
      return choice(...expression.options.map((option) => prune(option, possible)));
    case 'repeat':
      return repeat(prune(expression.part, possible), expression.min, expression.max);
    case 'triggered-text': {
      const triggers = expression.triggers.filter((trigger) => possible.has(trigger.rule));
      return { ...expression, triggers };
    }
    default:
      return expression;
  }
}

function rulesIn(expression: Expression): string[] {
  switch (expression.type) {
    case 'rule':
      return [expression.name];
    case 'sequence':
      return expression.parts.flatMap(rulesIn);
    case 'choice':
      return expression.options.flatMap(rulesIn);
    case 'repeat':
      return rulesIn(expression.part);
    case 'triggered-text':
      return expression.triggers.map((trigger) => trigger.rule);
    default:
      return [];
  }
}

function print(expression: Expression): string {
  switch (expression.type) {
    case 'literal':
      return quote(expression.text);
    case 'characters':
      return printCharacters(expression.ranges);
    case 'sequence':
      return expression.parts.map((part) => (part.type === 'choice' ? `(${print(part)})` : print(part))).join(' ');
    case 'choice':
      return expression.options.map(print).join(' | ');
    case 'repeat': {
      const { part, min, max } = expression;
      const simple = part.type === 'rule' || part.type === 'characters';
      const mark = min === 0 && max === 1 ? '?' : min === 0 && max === undefined ? '*' : `{${min},${max ?? ''}}`;
      return `${simple ? print(part) : `(${print(part)})`}${mark}`;
    }
    case 'rule':
      return expression.name;
    case 'text-until':
      return `TagDispatch(stop_eos=false, stop_str=(${expression.stops.map((stop) => quote(stop)).join(', ')}), loop_after_dispatch=false)`;
    case 'triggered-text': {
      const tags = expression.triggers.map((trigger) => `(${quote(trigger.text)}, ${trigger.rule})`);
      return `TagDispatch(${[...tags, 'stop_eos=true', 'stop_str=()', `loop_after_dispatch=${expression.again}`].join(', ')})`;
    }
  }
}

/**
 * The engine is only right about classes of ASCII characters and about excluding classes, which let all other
 * characters through. So of the characters beyond ASCII a class takes all or none.
 */
function printCharacters(ranges: readonly CodePointRange[]): string {
  const all = ranges.some(([first, last]) => first <= 0x80 && last === 0x10_ffff);
  const listed: CodePointRange[] = [];
  for (let code = 0; code < 0x80; code += 1) {
    const included = ranges.some(([first, last]) => first <= code && code <= last);
    if (included === all) continue;
    const last = listed.at(-1);
    if (last?.[1] === code - 1) listed[listed.length - 1] = [last[0], code];
    else listed.push([code, code]);
  }
  const text = listed
    .map(([first, last]) => (first === last ? escape(first) : `${escape(first)}-${escape(last)}`))
    .join('');
  return `[${all ? '^' : ''}${text}]`;
}

function quote(text: string): string {
  let escaped = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    escaped += /[A-Za-z0-9 _.,:;<>/|(){}=-]/.test(character) ? character : escape(code);
  }
  return `"${escaped}"`;
}

function escape(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/[A-Za-z0-9]/.test(character)) return character;
  return codePoint > 0xffff
    ? `\\U${codePoint.toString(16).padStart(8, '0')}`
    : `\\u${codePoint.toString(16).padStart(4, '0')}`;
}
