/** A ModelHost without workers: loads scripted models in this process, as a model worker would in its own. */
import type { Backend } from '../../src/core/models/backend.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { ModelHost } from '../../src/service/scheduler/model-host.js';

export function inProcessHost(backends: Record<string, Backend> = { scripted: scriptedBackend }): ModelHost {
  return {
    async start(entry, options) {
      const backend = backends[entry.backend];
      if (!backend) throw new InferenceError('unavailable', `No backend ${entry.backend} in this test.`);
      return backend.load(entry, { ...options, assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' });
    },
  };
}
