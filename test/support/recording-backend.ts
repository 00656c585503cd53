/** Scripted models that note what they are asked. */
import type { Backend } from '../../src/core/models/backend.js';
import type { GenerationRequest } from '../../src/core/request/generation-request.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';

export function recordingBackend(): { backend: Backend; requests: GenerationRequest[] } {
  const requests: GenerationRequest[] = [];
  const backend: Backend = {
    async load(entry, options) {
      const model = await scriptedBackend.load(entry, options);
      return {
        ...model,
        generate(request, signal) {
          requests.push(request);
          return model.generate!(request, signal);
        },
      };
    },
  };
  return { backend, requests };
}
