/** What the command line names as a model: an entry, a hub id, a folder, or one of WebLLM's list. @module */
import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { isListed } from '../../engines/web-llm/web-llm-pack.js';
import { isHubId } from '../../core/models/entry-files.js';
import { ENTRY_FIELDS } from '../../core/models/model-entry.js';
import { fields, optional, parseOptions } from '../../core/models/option-schema.js';
import type { NamedModel } from './pack/pack-model.js';
import { parseJson, readJsonFile } from './read-json-file.js';

/**
 * @param text a hub id, the URL or the path (`./…`) of a folder, a model of WebLLM's list, or a `ModelEntry` as JSON or
 * in a `.json` file
 * @throws Error that says what it could have been
 */
export function readEntry(text: string): NamedModel {
  if (text.startsWith('{')) return checked(parseJson(text, 'the entry'), 'the entry');
  if (text.endsWith('.json')) return checked(readJsonFile(text), text);
  if (isListed(text)) return { id: text, task: 'chat', backend: 'web-llm' };
  if (isGgufFile(text)) return readGgufFile(text);
  if (isHubId(text) && !text.startsWith('.'))
    return { id: nameOf(text), source: text, backend: /-gguf$/i.test(text) ? 'gguf' : 'transformers' };
  if (/^https?:\/\//.test(text)) return { id: nameOf(new URL(text).pathname), source: text, backend: 'transformers' };
  if ((text.startsWith('.') || isAbsolute(text)) && existsSync(text)) {
    const source = pathToFileURL(resolve(text)).href;
    return { id: basename(resolve(text)).toLowerCase(), source, backend: 'transformers' };
  }
  throw new Error(
    `"${text}" is not a model: pass a hub id (owner/name), the URL or path (./…) of a folder or a .gguf file, a model of WebLLM's list, or a file with an entry (JSON).`,
  );
}

/** A URL, or a path. */
function isGgufFile(text: string): boolean {
  return /^https?:\/\//.test(text)
    ? /\.gguf$/i.test(new URL(text).pathname)
    : /\.gguf$/i.test(text) && existsSync(text);
}

function readGgufFile(text: string): NamedModel {
  const isURL = /^https?:\/\//.test(text);
  const source = isURL ? text : pathToFileURL(resolve(text)).href;
  return { id: nameOf(new URL(source).pathname).replace(/\.gguf$/, ''), source, backend: 'gguf' };
}

const PACKABLE = fields(
  {
    ...ENTRY_FIELDS,
    task: optional(ENTRY_FIELDS.task),
    backend: v.picklist(
      ['gguf', 'transformers', 'web-llm'],
      'gguf, transformers or web-llm: other models have no files',
    ),
  },
  'a field of a model entry',
);

/** @param name of where it stands, for messages */
function checked(value: unknown, name: string): NamedModel {
  const refuse = (what: string): never => {
    throw new Error(`${name}: ${what}`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be one model entry.');
  const entry = parsed(value, refuse);
  const { id, backend, source = id } = entry;
  if (backend === 'web-llm' && entry.modelLibrary === undefined) return entry;
  const sources = [source, ...(entry.loras ?? []).map((lora) => lora.source)];
  if (!sources.every((each) => isHubId(each) || URL.canParse(each)))
    return refuse('the `source` of an entry to pack, and of its adapters, must be a hub id or an absolute URL.');
  return entry;
}

function parsed(value: object, refuse: (what: string) => never): NamedModel {
  try {
    return parseOptions(PACKABLE, value, 'field');
  } catch (thrown) {
    return refuse((thrown as Error).message);
  }
}

function nameOf(path: string): string {
  return basename(path).toLowerCase();
}
