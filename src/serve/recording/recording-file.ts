/** Files with recorded answers: options for `startInference`, whose models are scripted. @module */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import type { ScriptedEntry } from '../../core/models/model-entry.js';
import { MODEL_ENTRY } from '../../core/models/model-entry-schema.js';
import { fields, list, parseOptions } from '../../core/models/option-schema.js';
import type { ScriptedReply } from '../../core/models/script.js';

const SCRIPTED = v.pipe(
  MODEL_ENTRY,
  v.check(({ backend, script }) => backend === 'scripted' && script !== undefined, 'a scripted model with a script'),
);
const RECORDING = fields({ models: list(SCRIPTED, 'an array of scripted models') }, 'a field of a recording');

/**
 * The models of a file that `inpage record` or the Playwright fixture wrote, for the option `models`.
 * @param file its path
 * @throws Error that names the file and what is wrong with it
 * @example
 * test.use({ inferenceOptions: { models: readRecording('tests/replies.json') } });
 */
export function readRecording(file: string): ScriptedEntry[] {
  try {
    const { models } = parseOptions(RECORDING, JSON.parse(readFileSync(file, 'utf8')), 'field');
    return [...models] as ScriptedEntry[];
  } catch (thrown) {
    throw new Error(`${file} is not an Inpage recording. ${(thrown as Error).message}`, { cause: thrown });
  }
}

/**
 * Adds answers to a file. An answer to a request that the file has already replaces it.
 * @returns how many answers the file has now
 * @throws Error that names the file, when it exists and is not a recording
 */
export function addToRecording(file: string, added: readonly ScriptedEntry[]): number {
  const models = merge(existsSync(file) ? readRecording(file) : [], added);
  // A caller that reads meanwhile gets the old file or the new one.
  writeFileSync(`${file}.new`, format(models));
  renameSync(`${file}.new`, file);
  return models.reduce((count, { script }) => count + script.replies.length, 0);
}

function merge(known: readonly ScriptedEntry[], added: readonly ScriptedEntry[]): ScriptedEntry[] {
  const models = new Map(known.map((entry) => [entry.id, entry]));
  for (const entry of added) {
    const { replies = [] } = models.get(entry.id)?.script ?? {};
    const byRequest = new Map(replies.map((reply) => [reply.request ?? JSON.stringify(reply), reply]));
    for (const reply of entry.script.replies) byRequest.set(reply.request ?? JSON.stringify(reply), reply);
    // A `match` must not hide a longer one that contains it.
    const sorted = [...byRequest.values()].toSorted((one, other) => lengthOf(other) - lengthOf(one));
    models.set(entry.id, { ...entry, script: { replies: sorted } });
  }
  return [...models.values()];
}

/** JSON with a line for each step of an answer, so that changes can be read. */
function format(models: readonly ScriptedEntry[]): string {
  const entries = models.map(({ script, ...entry }) => {
    const replies = script.replies.map(({ recorded = [], ...reply }) => {
      const steps = recorded.map((step) => JSON.stringify(step)).join(',\n');
      return `${JSON.stringify(reply).slice(0, -1)},"recorded":[\n${steps}\n]}`;
    });
    return `${JSON.stringify(entry).slice(0, -1)},"script":{"replies":[\n${replies.join(',\n')}\n]}}`;
  });
  return `{"models":[\n${entries.join(',\n')}\n]}\n`;
}

function lengthOf({ match }: ScriptedReply): number {
  return typeof match === 'string' ? match.length : 0;
}
