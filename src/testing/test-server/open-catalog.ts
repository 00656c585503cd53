/** A catalog in which every name is a scripted model. @module */
import { Catalog } from '../../core/models/catalog.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** One name may stand for models of several tasks: each endpoint gets one of its own. */
export class OpenCatalog extends Catalog {
  readonly #asked = new Map<string, ModelEntry>();

  constructor() {
    super([]);
  }

  /** Each name once, in the order in which they were asked. */
  override get entries(): readonly ModelEntry[] {
    const byName = new Map<string, ModelEntry>();
    for (const entry of this.#asked.values()) if (!byName.has(entry.id)) byName.set(entry.id, entry);
    return [...byName.values()];
  }

  override find(name: string): ModelEntry {
    return this.require(name);
  }

  /** @param task absent: a chat model where the name was asked for one, else what it was asked for; one is not listed for that */
  override require(name: string, task?: ModelEntry['task']): ModelEntry {
    const known = this.#asked.get(`${task ?? 'chat'} ${name}`);
    if (known) return known;
    if (task === undefined) return this.entries.find(({ id }) => id === name) ?? entryOf(name, 'chat');
    const entry = entryOf(name, task);
    this.#asked.set(`${task} ${name}`, entry);
    return entry;
  }
}

function entryOf(id: string, task: ModelEntry['task']): ModelEntry {
  return { id, task, backend: 'scripted', script: { replies: [], ...(task === 'chat' && { images: true }) } };
}
