/** The backend over a stand-in of the browser's interface, without a page around it. */
import type { Backend, LoadedModel } from '../../../src/core/models/backend.js';
import type { LoadProgress, ModelEntry } from '../../../src/core/models/model-entry.js';
import { createBrowserBackend } from '../../../src/engines/built-in/browser-backend.js';
import type { StandIn } from '../../support/language-model.js';

export const ASSISTANT: ModelEntry = { id: 'assistant', task: 'chat', backend: 'built-in' };

/** @param standIn undefined: a browser without the interface */
export function browserBackend(standIn: StandIn | undefined, over = new AbortController().signal): Backend {
  return createBrowserBackend(() => standIn?.factory, over);
}

export function loadBrowserModel(
  standIn: StandIn | undefined,
  { entry = {}, progress = [] }: { entry?: Partial<ModelEntry>; progress?: LoadProgress[] } = {},
): Promise<LoadedModel> {
  return browserBackend(standIn).load(
    { ...ASSISTANT, ...entry },
    {
      onProgress: (report) => void progress.push(report),
      signal: new AbortController().signal,
      assetsURL: 'http://localhost/inpage/',
      pageURL: 'http://localhost/',
    },
  );
}
