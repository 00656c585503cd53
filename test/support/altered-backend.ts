/** A backend whose generations are changed on their way: for answers that no script can be made to give. */
import type { TokenEvent } from '../../src/core/events/token-event.js';
import type { Backend } from '../../src/core/models/backend.js';
import type { GenerationRequest } from '../../src/core/request/generation-request.js';
import { oneByOne } from './token-events.js';

/** The same models; `alter` gets each generation's events and gives those that are seen. */
export function alteredBackend(
  backend: Backend,
  alter: (events: AsyncIterable<TokenEvent>, request: GenerationRequest) => AsyncIterable<TokenEvent>,
): Backend {
  return {
    async load(entry, options) {
      const model = await backend.load(entry, options);
      const generate = model.generate?.bind(model);
      return {
        ...model,
        ...(generate && {
          generate: (request, signal) => inSteps(alter(oneByOne(generate(request, signal)), request)),
        }),
      };
    },
  };
}

/** One event at a time, but the prompt with the first. */
async function* inSteps(events: AsyncIterable<TokenEvent>): AsyncGenerator<TokenEvent[]> {
  const prompt: TokenEvent[] = [];
  for await (const event of events) {
    if (event.type === 'prompt') prompt.push(event);
    else yield [...prompt.splice(0), event];
  }
}
