/** The models that may be asked for: ids, aliases, and the entries behind them. @module */
import { InferenceError } from '../errors/inference-error.js';
import { adaptedId } from './lora.js';
import type { ModelEntry } from './model-entry.js';

/** Names in the message about one that is unknown. */
const MAX_NAMED = 8;

/** Characters of a name that is told. */
const MAX_NAME_LENGTH = 200;

/** An entry of the catalog, and which of its adapters is used. */
interface AdaptedModel {
  entry: ModelEntry;
  adapter?: string;
}

/** An immutable list of entries with unique names. Throws InferenceError `invalid_request` on a name used twice. */
export class Catalog {
  readonly #entries: readonly ModelEntry[];
  readonly #byName: Map<string, ModelEntry>;
  /** What `#adapt` made of entries. */
  readonly #adapted = new Map<ModelEntry, AdaptedModel>();

  constructor(entries: readonly ModelEntry[]) {
    this.#entries = entries;
    this.#byName = entriesByName(entries);
    for (const entry of entries) this.#adapt(entry);
  }

  /** Each adapter with an id makes a model of its own, where no entry has its name. */
  #adapt(entry: ModelEntry): void {
    for (const { id } of entry.loras ?? []) {
      if (id === undefined) continue;
      const name = adaptedId(entry.id, id);
      if (this.#byName.has(name)) continue;
      const { aliases: _, ...rest } = entry;
      const adapted = { ...rest, id: name };
      this.#adapted.set(adapted, { entry, adapter: id });
      this.#byName.set(name, adapted);
    }
  }

  /** What is loaded for an entry that {@link require} gave. */
  loadedFor(entry: ModelEntry): AdaptedModel {
    return this.#adapted.get(entry) ?? { entry };
  }

  get entries(): readonly ModelEntry[] {
    return this.#entries;
  }

  /** The entry behind an id or alias, whatever its access or status. */
  find(name: string): ModelEntry | undefined {
    return this.#byName.get(name);
  }

  /**
   * The entry behind a name, when the caller may use it.
   * @param _task what it is wanted for, for catalogs that have an entry for each
   * @throws InferenceError `model_not_found`, `model_removed` or `model_not_in_plan`, all with `param: 'model'`
   */
  require(name: string, _task?: ModelEntry['task']): ModelEntry {
    const entry = this.#byName.get(name);
    if (!entry) {
      const known = this.usable();
      const hint =
        known.length === 0
          ? ' No models are available, because the option `models` has none.'
          : ` Available models: ${listModels(known)}.`;
      throw new InferenceError('model_not_found', `The model \`${shortened(name)}\` does not exist.${hint}`, {
        param: 'model',
      });
    }
    if (entry.status === 'removed') {
      throw new InferenceError('model_removed', `The model \`${name}\` has been removed. Use another model.`, {
        param: 'model',
      });
    }
    if (entry.access === 'not-in-plan') {
      throw new InferenceError('model_not_in_plan', `The model \`${name}\` is not part of your plan.`, {
        param: 'model',
      });
    }
    return entry;
  }

  /** What `GET /models` shows: neither removed nor outside the plan. */
  usable(): ModelEntry[] {
    const adapted = [...this.#adapted];
    const all = this.entries.flatMap((entry) => [
      entry,
      ...adapted.flatMap(([each, { entry: base }]) => (base === entry ? [each] : [])),
    ]);
    return all.filter((entry) => entry.status !== 'removed' && entry.access !== 'not-in-plan');
  }
}

/** The first ids, for an error's sentence. */
export function listModels(entries: readonly ModelEntry[]): string {
  const named = entries.slice(0, MAX_NAMED).map(({ id }) => `\`${id}\``);
  return named.join(', ') + (entries.length > MAX_NAMED ? ' and more' : '');
}

/** Names come from clients, and errors repeat them. */
function shortened(name: string): string {
  if (typeof name !== 'string') return String(name);
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

/** Entries by id and alias. @throws InferenceError `invalid_request` on a name used twice */
export function entriesByName(entries: readonly ModelEntry[]): Map<string, ModelEntry> {
  const byName = new Map<string, ModelEntry>();
  for (const entry of entries) {
    for (const name of [entry.id, ...(entry.aliases ?? [])]) {
      if (byName.has(name)) {
        throw new InferenceError(
          'invalid_request',
          `Two models are called \`${name}\`. Each needs an \`id\` and \`aliases\` of its own.`,
          {
            param: 'models',
          },
        );
      }
      byName.set(name, entry);
    }
  }
  return byName;
}
