/** What the command line names as a model: an entry, a hub id, a folder, or one of WebLLM's list. @module */
import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isListed } from '../../../model/engines/web-llm/web-llm-pack.js';
import { isHubId } from '../../../core/models/entry-files.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { TASKS } from '../../../core/models/tasks.js';
import { checkEntryNames } from '../../../page/check-option-names.js';
import { parseJson, readJsonFile } from '../read-json-file.js';

/** An entry whose task may still have to be found out. */
export type NamedModel = Omit<ModelEntry, 'task'> & { task?: ModelEntry['task'] };

/**
 * @param text a hub id, the URL or the path (`./…`) of a folder, a model of WebLLM's list, or a `ModelEntry` as JSON or
 * in a `.json` file
 * @throws Error that says what it could have been
 */
export function readEntry(text: string): NamedModel {
  if (text.startsWith('{')) return checked(parseJson(text, 'the entry'), 'the entry');
  if (text.endsWith('.json')) return checked(readJsonFile(text), text);
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

/** @param name of where it stands, for messages */
function checked(value: unknown, name: string): NamedModel {
  const entry = value as Partial<ModelEntry> | null;
  const refuse = (what: string): never => {
    throw new Error(`${name}: ${what}`);
  };
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return refuse('must be one model entry.');
  try {
    checkEntryNames(entry as ModelEntry);
  } catch (thrown) {
    refuse((thrown as Error).message);
  }
  const { id, backend, task } = entry;
  if (typeof id !== 'string' || (backend !== 'transformers' && backend !== 'web-llm')) {
    return refuse('an entry to pack has an `id`, and a `backend` with files: transformers or web-llm.');
  }
  if (task !== undefined && !TASKS.includes(task)) refuse(`\`task\` must be one of ${TASKS.join(', ')}.`);
  const { source = id } = entry;
  if (backend === 'web-llm' && entry.modelLibrary === undefined) return entry as NamedModel;
  if (!isHubId(source) && !URL.canParse(source)) {
    return refuse('the `source` of an entry to pack must be a hub id or an absolute URL.');
  }
  return entry as NamedModel;
}

function nameOf(path: string): string {
  return basename(path).toLowerCase();
}
