/** Renders Jinja chat templates, within bounds. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { Environment, Template } from '@huggingface/jinja';
import { patchTemplateSource, patchTemplateTree, TEMPLATE_FUNCTIONS } from './patch-template.js';
import { boundedRange, TemplateInterpreter } from './template-interpreter.js';

const compiled = new Map<string, ChatTemplate>();

/** Compiles a template once. @throws SyntaxError of Jinja's */
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

/** Characters of a template. The longest in use have 30,000; Jinja's reader takes the square of their number. */
const MAX_SOURCE = 300_000;

/** The template does not accept what it is given. */
export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal';
}

/** Names that every template knows. */
const KNOWN_NAMES = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  ...TEMPLATE_FUNCTIONS,
  range: boundedRange,
  raise_exception(reason: string): never {
    throw new TemplateRefusal(reason);
  },
};

/** A compiled Jinja template. Templates come with models, but clients choose how much they loop over. */
export class ChatTemplate {
  readonly #program: Template['parsed'];

  /** @throws SyntaxError of Jinja's; InferenceError `model_not_supported` for one that is far too long */
  constructor(source: string) {
    if (source.length > MAX_SOURCE) {
      const message = `The chat template has ${source.length} characters; more than ${MAX_SOURCE} are not read.`;
      throw new InferenceError('model_not_supported', message, { param: 'model', reason: message, permanent: true });
    }
    this.#program = new Template(patchTemplateSource(source)).parsed;
    patchTemplateTree(this.#program);
  }

  /**
   * @throws InferenceError `invalid_request` when the template loops or grows without end; TemplateRefusal when it does not
   * take what it is given; Error of Jinja's
   */
  render(variables: Readonly<Record<string, unknown>>): string {
    const maxCharacters = MAX_OWN_CHARACTERS + MAX_GROWTH * charactersOf(variables);
    const environment = new Environment();
    for (const [name, value] of Object.entries({ ...variables, ...KNOWN_NAMES }))
      if (!environment.variables.has(name)) environment.set(name, value);
    return new TemplateInterpreter(environment, maxCharacters).run(this.#program).toString();
  }
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + charactersOf(item), 0);
}
