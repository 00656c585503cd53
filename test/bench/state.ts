/** A page that asks for responses, which are stored (`?store=true`) or not; the runner measures from outside. */
import { startInference } from 'inpage';

/** Asks so many times, one after the other. */
export type AskOften = (requests: number) => Promise<void>;

const inference = await startInference({
  serviceWorker: false,
  storeResponses: new URLSearchParams(location.search).get('store') === 'true',
  rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
  models: [{ id: 'echo', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello there, friend.' }] } }],
});
const body = JSON.stringify({ model: 'echo', input: 'Hello!' });
const ask: AskOften = async (requests) => {
  for (let index = 0; index < requests; index += 1) {
    const response = await inference.fetch(`${inference.baseURL}/responses`, { method: 'POST', body });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  }
};
Object.assign(window, { bench: ask });
