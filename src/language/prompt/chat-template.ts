/** Renders Jinja chat templates, within bounds. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { Budget, tooLate } from './jinja/budget.js';
import { FUNCTIONS } from './jinja/functions.js';
import type { Statement } from './jinja/nodes.js';
import { parseTemplate } from './jinja/parse-template.js';
import { runTemplate } from './jinja/run-template.js';
import { Scope } from './jinja/scope.js';
import { toValue } from './jinja/values.js';
import { textOf } from './jinja/write-values.js';

const compiled = new Map<string, ChatTemplate>();

/** Compiles a template once. @throws SyntaxError for what Jinja does not know */
export function compiledTemplate(source: string): ChatTemplate {
  const known = compiled.get(source);
  if (known) return known;
  const template = new ChatTemplate(source);
  compiled.set(source, template);
  return template;
}

/** A template writes what it is given a few times at most, and words of its own. */
const MAX_GROWTH = 20;
const MAX_OWN_CHARACTERS = 1_000_000;

/** Characters of a template. The longest in use have 30,000. */
const MAX_SOURCE = 300_000;

/** No conversation that a load tries has so many characters. */
const TRIED_CHARACTERS = 10_000;

/** The template does not accept what it is given. */
export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal';
}

/** A compiled Jinja template. Templates come with models, but clients choose how much they loop over. */
export class ChatTemplate {
  readonly #statements: readonly Statement[];
  /** Characters of the smallest input with which it took too long. */
  #endlessFrom = Infinity;

  /** @throws SyntaxError for what Jinja does not know; InferenceError `model_not_supported` for one that is far too long */
  constructor(source: string) {
    if (source.length > MAX_SOURCE) {
      const message = `The chat template has ${source.length} characters. At most ${MAX_SOURCE} are allowed.`;
      throw new InferenceError('model_not_supported', message, { param: 'model', reason: message, permanent: true });
    }
    this.#statements = parseTemplate(source);
  }

  /**
   * @throws InferenceError `invalid_request` when the template loops or grows without end; TemplateRefusal when it does not
   * take what it is given; TemplateError for what Python would not do either
   */
  render(variables: Readonly<Record<string, unknown>>): string {
    const scope = new Scope();
    for (const [name, value] of Object.entries(variables)) if (value !== undefined) scope.set(name, toValue(value));
    // No client replaces a function.
    for (const [name, callable] of Object.entries(FUNCTIONS)) scope.set(name, callable);
    scope.set('raise_exception', ({ positional: [reason] }) => {
      throw new TemplateRefusal(textOf(reason));
    });
    const given = charactersOf(variables);
    // A load tries a template with many conversations, and each would take its whole time.
    if (given >= this.#endlessFrom) throw tooLate();
    const budget = new Budget(MAX_OWN_CHARACTERS + MAX_GROWTH * given, given);
    try {
      return runTemplate(this.#statements, scope, budget);
    } catch (thrown) {
      if (budget.isLate && given < TRIED_CHARACTERS) this.#endlessFrom = given;
      throw thrown;
    }
  }
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + charactersOf(item), 0);
}
