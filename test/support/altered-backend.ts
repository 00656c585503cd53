/** A backend whose generations are changed on their way: for answers that no script can be made to give. */
import type { Backend } from '../../src/models/backend.js';
import type { TokenEvent } from '../../src/events/token-event.js';

/** The same models; `alter` gets each generation's events and gives those that are seen. */
export function alteredBackend(
  backend: Backend,
  alter: (events: AsyncIterable<TokenEvent>) => AsyncIterable<TokenEvent>,
): Backend {
  return {
    async load(entry, options) {
      const model = await backend.load(entry, options);
      const generate = model.generate?.bind(model);
      return { ...model, ...(generate && { generate: (request, signal) => alter(generate(request, signal)) }) };
    },
  };
}
