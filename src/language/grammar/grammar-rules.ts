/** A grammar under construction, and its text in the EBNF dialect of xgrammar. @module */
import { SchemaProblem } from '../../core/schema/limits/schema-problem.js';
import type { WorkBudget } from '../../core/schema/limits/work-budget.js';
import { choice, type Expression, isNever, NEVER, repeat, rule, sequence, sizeOf } from './expression.js';
import { ChoiceFactoring } from './factor-choices.js';
import { preparedStates } from './prepared-states.js';
import { printExpression } from './print-expression.js';
import { type Rules, shareRules } from './share-rules.js';

/** Most characters of a grammar. Token masks for a longer one would take too long to prepare. */
const MAX_TEXT = 150_000;

/** See {@link preparedStates}: 60,000 characters of an enumeration, or 800 places where any token may follow. */
const MAX_STATES = 60_000;

/** Characters of the shortest text: the engine writes out what must come, and no model has room for more. */
const MAX_SHORTEST = 200_000;

/** Where the engine begins. */
const ROOT = 'root';

/** Which lengths of strings a grammar writes out. */
export interface LengthBounds {
  /** Strings whose length goes up to so many characters are counted by rules, from which masks can be made. */
  most: number;
  /** What is longer: `open` allows any length, for masks; `counted` is exact, and too slow for masks. */
  longer: 'open' | 'counted';
}

/** A grammar is too large; one with smaller automata may do. */
class TooLarge extends SchemaProblem {
  constructor() {
    super('needs too large a grammar');
  }
}

/** Most states of a string's automaton: each becomes a rule, and a rule's masks go over the whole vocabulary. */
const STATES_OF_STRINGS = [400, 200, 100, 50];

/**
 * The result of `write`, which is called again with smaller automata, for shorter strings, while its grammar is too large.
 * @throws SchemaProblem when it stays too large
 */
export function withinSize<T>(newRules: (mostStates: number) => GrammarRules, write: (rules: GrammarRules) => T): T {
  let problem: unknown;
  for (const most of STATES_OF_STRINGS) {
    const rules = newRules(most);
    try {
      return write(rules);
    } catch (error) {
      if (!(error instanceof TooLarge) || rules.largestString <= 50) throw error;
      problem = error;
    }
  }
  throw problem;
}

/** Named rules. Rules may refer to rules that are defined later, and to themselves. */
export class GrammarRules {
  /** What is left to spend on this grammar. */
  readonly work: WorkBudget;
  /** Undefined: every length is written out for masks. */
  readonly lengths: LengthBounds | undefined;
  /** Most states of the automaton of one string. */
  readonly mostStates: number;
  /** States of the largest one so far. */
  largestString = 0;
  /** A string's length was left open. */
  hasOpenLengths = false;
  readonly #bodies = new Map<string, Expression>();
  readonly #shared = new Map<string, unknown>();
  #counter = 0;

  constructor(work: WorkBudget, lengths?: LengthBounds, mostStates: number = STATES_OF_STRINGS[0]!) {
    this.work = work;
    this.lengths = lengths;
    this.mostStates = mostStates;
  }

  /** What a rule is, once it is defined. */
  bodyOf(expression: Expression): Expression {
    return expression.type === 'rule' ? (this.#bodies.get(expression.name) ?? NEVER) : expression;
  }

  /** Number of rules, for size limits. */
  get size(): number {
    return this.#counter;
  }

  /** A fresh rule name; its body comes with {@link define}. */
  reserve(): string {
    this.work.spend(60);
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

  /** Whether some finite text matches `root`. */
  canFinish(root: Expression): boolean {
    return canFinish(root, this.#possibleRules(root));
  }

  /**
   * The grammar as text, or undefined when no finite text matches `root`. Alternatives that could never be finished
   * (a recursion without an end) are left out, so that whoever follows the grammar always finds an end.
   * @throws SchemaProblem when that is too much work
   */
  toEbnf(root: Expression): string | undefined {
    const possible = this.#possibleRules(root);
    if (!canFinish(root, possible)) return undefined;
    const pruned = new Map<string, Expression>();
    const bodies = (name: string): Expression => {
      let body = pruned.get(name);
      if (body === undefined) pruned.set(name, (body = prune(this.#bodies.get(name) ?? NEVER, possible)));
      return body;
    };
    const factoring = new ChoiceFactoring(bodies, this.work);
    const body = factoring.factor(prune(root, possible));
    const written = new Map([[ROOT, body]]);
    const seen = new Set(rulesIn(body));
    for (const name of seen) {
      const factored = factoring.factor(bodies(name));
      written.set(name, factored);
      for (const next of rulesIn(factored)) seen.add(next);
    }
    const shared = shareRules(written, ROOT, this.work);
    if (shortestText(shared, ROOT, this.work) > MAX_SHORTEST)
      throw new SchemaProblem('allows only values without an end');
    return this.#print(shared);
  }

  #print(rules: Rules): string {
    const lines: string[] = [];
    let length = 0;
    let states = 0;
    for (const [name, body] of rules) {
      const line = `${name} ::= ${printExpression(body)}`;
      length += line.length + 1;
      // No masks are made from what only counts.
      if (this.lengths?.longer !== 'counted') states += preparedStates(body);
      this.work.spend(line.length);
      if (length > MAX_TEXT || states > MAX_STATES) throw new TooLarge();
      lines.push(line);
    }
    return `${lines.join('\n')}\n`;
  }

  /** The rules on the way from `root` that some finite text matches: the least fixed point. */
  #possibleRules(root: Expression): Set<string> {
    const possible = new Set<string>();
    const users = new Map<string, string[]>();
    const reachable = new Set(rulesIn(root));
    for (const name of reachable) {
      const used = rulesIn(this.#bodies.get(name) ?? NEVER);
      this.work.spend(4 + 4 * used.length);
      for (const each of new Set(used)) {
        reachable.add(each);
        const known = users.get(each);
        if (known === undefined) users.set(each, [name]);
        else known.push(name);
      }
    }
    const pending = [...reachable];
    for (const name of pending) {
      if (possible.has(name)) continue;
      const body = this.#bodies.get(name) ?? NEVER;
      this.work.spend(2 * sizeOf(body));
      if (!canFinish(body, possible)) continue;
      possible.add(name);
      // Who was looked at before may have waited for this one.
      for (const user of users.get(name) ?? []) if (!possible.has(user)) pending.push(user);
    }
    return possible;
  }
}

/** Whether some finite text matches, when only these rules can be finished. */
function canFinish(expression: Expression, possible: ReadonlySet<string>): boolean {
  switch (expression.type) {
    case 'rule':
      return possible.has(expression.name);
    case 'sequence':
      return expression.parts.every((part) => canFinish(part, possible));
    case 'choice':
      return expression.options.some((option) => canFinish(option, possible));
    case 'repeat':
      return expression.min === 0 || canFinish(expression.part, possible);
    default:
      return true;
  }
}

/** Without what can never be finished. */
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
    case 'text-until':
    case 'triggered-text': {
      const triggers = expression.triggers?.filter((trigger) => possible.has(trigger.rule)) ?? [];
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
    case 'text-until':
    case 'triggered-text':
      return expression.triggers?.map((trigger) => trigger.rule) ?? [];
    default:
      return [];
  }
}

/**
 * Characters of the shortest text that matches the rule `root`; Infinity when there is none.
 * @throws SchemaProblem when that is too much work
 */
function shortestText(rules: Rules, root: string, work: WorkBudget): number {
  const lengths = new Map<string, number>();
  // Rules stand before those that they refer to, so going backwards most lengths are right at once.
  const names = [...rules.keys()].toReversed();
  for (let changed = true; changed;) {
    changed = false;
    for (const name of names) {
      work.spend(4);
      const length = lengthOf(rules.get(name), lengths);
      if (length >= (lengths.get(name) ?? Infinity)) continue;
      lengths.set(name, length);
      changed = true;
    }
  }
  return lengths.get(root) ?? Infinity;
}

function lengthOf(expression: Expression | undefined, lengths: ReadonlyMap<string, number>): number {
  switch (expression?.type) {
    case 'literal':
      return expression.text.length;
    case 'characters':
    case 'bytes':
      return 1;
    case 'sequence':
      return expression.parts.reduce((length, part) => length + lengthOf(part, lengths), 0);
    case 'choice':
      return Math.min(...expression.options.map((option) => lengthOf(option, lengths)));
    case 'repeat':
      return expression.min === 0 ? 0 : expression.min * lengthOf(expression.part, lengths);
    case 'rule':
      return lengths.get(expression.name) ?? Infinity;
    case 'text-until':
      return Math.min(...expression.stops.map((stop) => stop.length));
    case 'triggered-text':
      return 0;
    case undefined:
      return Infinity;
  }
}
