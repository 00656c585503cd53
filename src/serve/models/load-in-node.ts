/** Models that run in Node, without a page. @module */
import type { LoadedModel } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { StartOptions } from '../../service/scheduler/model-host.js';
import { scriptedBackend } from '../../engines/scripted/scripted-backend.js';

/** Relative addresses have nothing to be relative to. */
const NOWHERE = 'http://localhost/';

/**
 * Loads a model in this thread.
 * @param entry one for which `runsInProcess` holds
 * @param pageURL what a relative `source` is relative to
 */
export async function loadInNode(entry: ModelEntry, options: StartOptions, pageURL = NOWHERE): Promise<LoadedModel> {
  const load = { ...options, assetsURL: NOWHERE, pageURL };
  if (entry.backend !== 'upstream') return scriptedBackend.load(entry, load);
  const { upstreamBackend } = await import('../../engines/upstream/upstream-backend.js');
  return upstreamBackend.load(entry, load);
}
