/** Renders Jinja chat templates, with a limit on their loops. @module */
import { Template } from '@huggingface/jinja';
import { InferenceError } from '../../core/errors/inference-error.js';
import { mendSource, mendTree, TEMPLATE_FUNCTIONS } from './mend-template.js';

const compiled = new Map<string, ChatTemplate>();

/** Compiles a template once. @throws SyntaxError of Jinja's */
export function compiledTemplate(source: string): ChatTemplate {
  const known = compiled.get(source);
  if (known) return known;
  const template = new ChatTemplate(source);
  compiled.set(source, template);
  return template;
}

/** Passes through the bodies of loops and macros in one rendering. Conversations of thousands of messages need fewer. */
const MAX_PASSES = 200_000;

/** Called once per pass. No template has a variable of this name. */
const COUNTER = 'inpage_count_pass';

/** A compiled Jinja template. Templates come with models, but clients choose how much they loop over. */
export class ChatTemplate {
  readonly #template: Template;

  /** @throws SyntaxError of Jinja's */
  constructor(source: string) {
    this.#template = new Template(mendSource(source));
    countPasses(this.#template.parsed);
    mendTree(this.#template.parsed);
  }

  /**
   * @throws InferenceError `invalid_request` when the template loops without end; Error of Jinja's, and of templates that
   * refuse what they are given
   */
  render(variables: Readonly<Record<string, unknown>>): string {
    let passes = 0;
    const count = (): string => {
      passes += 1;
      if (passes <= MAX_PASSES) return '';
      throw new InferenceError('invalid_request', "The conversation makes the model's chat template loop too often.", {
        param: 'messages',
      });
    };
    return this.#template.render({ ...variables, ...TEMPLATE_FUNCTIONS, [COUNTER]: count });
  }
}

/** Puts the call of the counter into every loop and macro of a syntax tree. */
function countPasses(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const child of Object.values(node)) countPasses(child);
  const { type, body } = node as { type?: string; body?: unknown[] };
  if ((type === 'For' || type === 'Macro') && Array.isArray(body)) {
    body.unshift(...new Template(`{{ ${COUNTER}() }}`).parsed.body);
  }
}
