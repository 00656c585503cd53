/** Models that speak: those of the catalog, and one of the hub to begin with. */
import { computed, effect, signal } from '@preact/signals';
import type { ModelEntry } from 'inpage';
import { inference, models, statusVersion } from '../inference.js';
import { ANY_VOICE } from './speech-request.js';

/** Its graph is small, and it takes letters: no file of pronunciations is needed. */
export const HUB_SPEAKER: ModelEntry = {
  id: 'mms-tts-eng',
  task: 'text-to-speech',
  backend: 'transformers',
  source: 'Xenova/mms-tts-eng',
  ownedBy: 'Xenova',
  metadata: { overview: 'Speaks English in one voice.', license: 'CC-BY-NC-4.0' },
};

/** 36 million parameters of a byte each. */
export const HUB_SPEAKER_BYTES = 4e7;

export const speakers = computed(() => models.value.filter(({ task }) => task === 'text-to-speech'));
const chosen = signal<string | undefined>(undefined);
/** The model that speaks; undefined: none is in the catalog. */
export const speaker = computed(() => speakers.value.find(({ id }) => id === chosen.value) ?? speakers.value[0]);

export function chooseSpeaker(id: string): void {
  chosen.value = id;
}

/** Voices of the speaker; before it is loaded only the name that every model knows. */
export const voices = signal<readonly string[]>([ANY_VOICE]);

const isReady = computed(() => {
  void statusVersion.value;
  const status = inference.value?.status().find(({ id }) => id === speaker.value?.id);
  return status?.state === 'ready' || status?.state === 'busy';
});

effect(() => {
  const model = speaker.value?.id;
  voices.value = [ANY_VOICE];
  // Asked of a model that is not loaded, the question would load it.
  if (model === undefined || !isReady.value) return;
  // Without the list, there is the one name.
  listVoices(model).then(
    (found) => (voices.value = [ANY_VOICE, ...found]),
    () => {},
  );
});

async function listVoices(model: string): Promise<string[]> {
  const response = await fetch(`${inference.peek()?.baseURL}/audio/voices?model=${encodeURIComponent(model)}`);
  const { voices: found } = (await response.json()) as { voices: { id: string }[] };
  return found.map(({ id }) => id);
}
