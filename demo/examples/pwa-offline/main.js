import { startInference } from 'inpage';

const TINY_CHAT = { id: 'tiny-chat', task: 'chat', backend: 'gguf' };

// The worker first, so that the files of Inpage's own workers pass through it.
await navigator.serviceWorker.register('/sw.js');
if (!navigator.serviceWorker.controller) {
  await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
}
const inference = await startInference({ serviceWorker: '/sw.js', models: [TINY_CHAT] });
await inference.load('tiny-chat');
await keepWhatCameBefore();
document.querySelector('#offline').textContent = 'Ready to work offline.';

const button = document.querySelector('#ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: target.textContent }] }),
  });
  document.querySelector('[role=status]').textContent = (await response.json()).choices[0].message.content;
};

/** The page and its scripts were there before the Service Worker was: it is told their names. */
async function keepWhatCameBefore() {
  const { port1, port2 } = new MessageChannel();
  const kept = new Promise((resolve) => (port1.onmessage = resolve));
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  navigator.serviceWorker.controller.postMessage({ keep: [location.href, ...loaded] }, [port2]);
  await kept;
}
