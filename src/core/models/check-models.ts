/** What entries of a catalog must be to each other. @module */
import { InferenceError } from '../errors/inference-error.js';
import { entriesByName } from './catalog.js';
import type { ModelEntry } from './model-entry.js';
import { idleFields } from './model-entry-schema.js';
import { wrongOption } from './option-schema.js';
import { suggestName } from './suggest-name.js';

/**
 * Also refuses names that are used twice.
 * @throws InferenceError `invalid_request`, whose `param` is the option
 */
export function checkFallbacks(models: readonly ModelEntry[]): void {
  const byName = entriesByName(models);
  for (const [index, { fallback, task }] of models.entries()) {
    if (fallback === undefined) continue;
    const param = `models.${index}.fallback`;
    const next = byName.get(fallback);
    if (!next) {
      const message = `The option \`${param}\` must be the id of another model, and there is no \`${fallback}\`. ${suggestName(fallback, [...byName.keys()])}`;
      throw new InferenceError('invalid_request', message, { param });
    }
    if (next.task !== task)
      throw wrongOption(param, `the id of a model for ${task}, and \`${fallback}\` is one for ${next.task}`);
    const seen = new Set([models[index]]);
    for (let each: ModelEntry | undefined = next; each; each = byName.get(each.fallback ?? '')) {
      if (seen.has(each))
        throw wrongOption(param, 'the id of a model whose own `fallback` does not lead back to this one');
      seen.add(each);
    }
  }
}

/** @throws InferenceError `invalid_request`, whose `param` is the option */
export function checkScripts(models: readonly ModelEntry[]): void {
  for (const [index, { backend, task, script }] of models.entries()) {
    if (backend === 'scripted' && !script && (task === 'chat' || task === 'speech-to-text'))
      throw wrongOption(
        `models.${index}.script`,
        'an object with `replies`, because a scripted model has no other answers',
      );
  }
}

/** Tells of fields that do nothing in their entry: it was meant to have another backend or task, or they are not needed. */
export function warnOfIdleFields(models: readonly ModelEntry[]): void {
  for (const [index, entry] of models.entries()) {
    for (const { field, message } of idleFields(entry))
      console.warn(`inpage: the option \`models.${index}.${field}\` has no effect, because ${message}.`);
  }
}
