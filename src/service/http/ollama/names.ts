/** Names of models as Ollama's clients know them. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Catalog } from '../../../core/models/catalog.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { toHex } from '../../../core/platform/to-hex.js';

/** The tag that a name without one has. */
const LATEST = ':latest';

/** An entry's name in lists. */
export function listedName({ id }: ModelEntry): string {
  return id.includes(':') ? id : id + LATEST;
}

/** What the catalog calls the model: clients may add the tag to its id and to its aliases. */
export function catalogName(catalog: Catalog, name: string): string {
  if (!name.endsWith(LATEST) || catalog.find(name)) return name;
  const bare = name.slice(0, -LATEST.length);
  return catalog.find(bare) ? bare : name;
}

/** `model`, or `name` as older clients call it. @throws InferenceError `missing_required_field` without either */
export function modelField(body: { model?: string | null | undefined; name?: string | null | undefined }): string {
  const asked = body.model || body.name;
  if (asked) return asked;
  throw new InferenceError('missing_required_field', '`model` is required.', { param: 'model' });
}

/** Of what makes the model another one: its name, and where its files come from. @param file one of them */
export async function computeDigest(
  { id, task, backend, source, revision, file: named, integrity }: ModelEntry,
  file?: string,
): Promise<string> {
  const text = JSON.stringify([id, task, backend, source, revision, named, integrity, file]);
  return toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
