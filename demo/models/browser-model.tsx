/** The browser's built-in model, where the browser has one, with what it needs. */
import { useEffect, useState } from 'preact/hooks';
import type { ModelEntry } from 'inpage';
import { chatModel } from '../inference.js';
import { ModelOffer } from './model-offer.js';

type Availability = 'available' | 'downloadable' | 'downloading' | 'unavailable';

/** The interface of Chrome and Edge, as far as it is asked here. */
interface ModelInterface {
  availability(expected: { expectedInputs: Expected[]; expectedOutputs: Expected[] }): Promise<Availability>;
}

interface Expected {
  type: 'text';
  languages: string[];
}

/** In a sentence. */
const NEEDS: Record<Exclude<Availability, 'unavailable'>, string> = {
  available: 'on this device already',
  downloading: 'the browser is downloading it',
  downloadable: 'your click starts a one-time download of several gigabytes; Chrome requires 22 GB of free disk space',
};

// Chrome prints a warning about requests that name no language.
const TEXT: Expected = { type: 'text', languages: ['en'] };

const ENTRY: ModelEntry = {
  id: 'browser-model',
  task: 'chat',
  backend: 'built-in',
  fallback: 'tiny-chat',
  languages: ['en'],
  metadata: { overview: 'The browser’s built-in model, shared by all pages. tiny-chat answers until it is ready.' },
};

export function BrowserModel() {
  const [availability, setAvailability] = useState<Availability>('unavailable');
  useEffect(() => {
    const { LanguageModel: model } = globalThis as { LanguageModel?: ModelInterface };
    // A browser that does not say has none to offer.
    void model?.availability({ expectedInputs: [TEXT], expectedOutputs: [TEXT] }).then(setAvailability, () => {});
  }, []);
  if (availability === 'unavailable') return null;
  return (
    <ModelOffer
      entry={ENTRY}
      needs={NEEDS[availability]}
      label="The browser’s built-in model"
      onReady={() => (chatModel.value = ENTRY.id)}
    />
  );
}
