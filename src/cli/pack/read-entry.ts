/** What the command line names as a model: an entry, a hub id, a folder, or one of WebLLM's list. @module */
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isListed } from '../../backends/web-llm/choose-for-pack.js';
import { isHubId } from '../../models/entry-files.js';
import type { ModelEntry } from '../../models/model-entry.js';

/** An entry whose task may still have to be found out. */
export type NamedModel = Omit<ModelEntry, 'task'> & { task?: ModelEntry['task'] };

/**
 * @param text a hub id, the URL or the path (`./…`) of a folder, a model of WebLLM's list, or a `ModelEntry` as JSON or
 * in a `.json` file
 * @throws Error that says what it could have been
 */
export function readEntry(text: string): NamedModel {
  if (text.startsWith('{')) return checked(parse(text, 'The entry'));
  if (text.endsWith('.json')) {
    if (!existsSync(text)) throw new Error(`${text}: there is no such file.`);
    return checked(parse(readFileSync(text, 'utf8'), text));
  }
  if (isListed(text)) return { id: text, task: 'chat', backend: 'web-llm' };
  if (isHubId(text) && !text.startsWith('.')) return { id: nameOf(text), source: text, backend: 'transformers' };
  if (/^https?:\/\//.test(text)) return { id: nameOf(new URL(text).pathname), source: text, backend: 'transformers' };
  if ((text.startsWith('.') || isAbsolute(text)) && existsSync(text)) {
    const source = pathToFileURL(resolve(text)).href;
    return { id: basename(resolve(text)).toLowerCase(), source, backend: 'transformers' };
  }
  throw new Error(
    `"${text}" is no model: name a hub id (owner/name), the URL or the path (./…) of a folder, a model of WebLLM's list, or an entry (JSON).`,
  );
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`${name} is not JSON: ${(thrown as Error).message}`, { cause: thrown });
  }
}

function checked(value: unknown): NamedModel {
  const entry = value as Partial<ModelEntry> | null;
  const hasFiles = entry?.backend === 'transformers' || entry?.backend === 'web-llm';
  if (typeof entry !== 'object' || typeof entry?.id !== 'string' || !hasFiles) {
    throw new Error('An entry to pack has an `id`, and a `backend` with files: transformers or web-llm.');
  }
  const { source = entry.id } = entry;
  if (entry.backend === 'web-llm' && entry.modelLibrary === undefined) return entry as NamedModel;
  if (!isHubId(source) && !URL.canParse(source)) {
    throw new Error('The `source` of an entry to pack must be a hub id or an absolute URL.');
  }
  return entry as NamedModel;
}

function nameOf(path: string): string {
  return basename(path).toLowerCase();
}
