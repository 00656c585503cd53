/** `inpage cache`. @module */
import { cacheFolder } from '../../serve/models/cache-folder.js';
import { DiskStorage } from '../../serve/models/disk-storage.js';
import type { FileStatus, ModelNote } from '../../store/storage/byte-storage.js';
import { parseHubFolder } from '../../store/sources/hub.js';
import { type Command, UsageError } from './command.js';
import { print } from './print.js';
import { megabytes } from './progress-bar.js';

/** A model in the cache. */
interface CachedModel {
  /** As entries and words name it. */
  source: string;
  note: ModelNote;
  bytes: number;
  isWhole: boolean;
}

/** Lists what `inpage serve` has fetched, and removes it. */
export const cache: Command = {
  summary:
    'Lists the model files that `inpage serve` has fetched, and removes them. The variable INPAGE_CACHE names another folder.',
  usage: ['cache', 'cache rm SOURCE … | --all'],
  options: { all: { type: 'boolean', help: 'Remove everything.' } },
  examples: ['npx inpage cache', 'npx inpage cache rm Qwen/Qwen2.5-0.5B-Instruct-GGUF', 'npx inpage cache rm --all'],
  async run([verb, ...sources], { all }) {
    const folder = cacheFolder();
    const storage = new DiskStorage(folder);
    const models = (await storage.list()).map(describe).toSorted((a, b) => b.note.lastUsed - a.note.lastUsed);
    // Of what was only looked for there are no bytes.
    const rows = models.filter(({ bytes }) => bytes > 0).map(rowOf);
    if (verb === undefined && !all) return print(`${folder}\n${rows.join('')}`);
    if (verb !== 'rm' || (sources.length === 0) === (all !== true))
      throw new UsageError('`inpage cache` lists, `inpage cache rm SOURCE …` and `inpage cache rm --all` remove.');
    const removed = all ? models : sources.flatMap((source) => models.filter((model) => isNamed(model, source)));
    for (const { note, source, bytes } of new Set(removed)) {
      await storage.removeModel(note.model);
      print(`inpage: removed ${source} (${megabytes(bytes)} MB)\n`);
    }
    const missing = sources.filter((source) => !models.some((model) => isNamed(model, source)));
    if (missing.length > 0) throw new Error(`${missing.join(', ')}: not in the cache (${folder}).`);
  },
};

function describe({ note, files }: { note: ModelNote; files: FileStatus[] }): CachedModel {
  const there = files.filter(({ metadata }) => metadata.state !== 'absent');
  const hub = parseHubFolder(note.model);
  const revision = hub && hub.revision !== 'main' ? `@${hub.revision}` : '';
  return {
    source: hub ? hub.id + revision : note.model,
    note,
    bytes: there.reduce((sum, { bytes }) => sum + bytes, 0),
    isWhole: there.every(({ metadata }) => metadata.state === 'complete'),
  };
}

/** By its name in a list, the address of its folder, or a word with the kind of a file. */
function isNamed({ source, note }: CachedModel, name: string): boolean {
  return [source, note.model, note.model.replace(/\/$/, '')].includes(name) || name.startsWith(`${source}:`);
}

function rowOf({ source, note, bytes, isWhole }: CachedModel): string {
  const used =
    note.lastUsed > 0 ? new Date(note.lastUsed).toISOString().slice(0, 16).replace('T', ' ') : 'not used yet';
  return `${source}  ${megabytes(bytes)} MB  ${used}${isWhole ? '' : '  partial'}\n`;
}
