/** Models that search: every one of the catalog that embeds. The chosen one is remembered between visits. */
import { computed, effect, signal } from '@preact/signals';
import { models } from '../inference.js';

const KEY = 'inpage-demo-embedder';

export const embedders = computed(() => models.value.filter(({ task }) => task === 'embeddings'));
const chosen = signal(localStorage.getItem(KEY) ?? 'tiny-embed');
/** The one that is asked: of the bundled models where the chosen one was removed. */
export const embedder = computed(() => embedders.value.find(({ id }) => id === chosen.value)?.id ?? 'tiny-embed');

effect(() => localStorage.setItem(KEY, chosen.value));

export function chooseEmbedder(id: string): void {
  chosen.value = id;
}
