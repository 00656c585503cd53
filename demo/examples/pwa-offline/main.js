import { startInference } from 'inpage';

const TINY_CHAT = { id: 'tiny-chat', task: 'chat', backend: 'gguf' };

// Before anything is loaded, so that all of it passes through the Service Worker.
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

/** The page and its scripts were there before the Service Worker was. */
async function keepWhatCameBefore() {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const own = new Set([location.href, ...loaded.filter((url) => url.startsWith(location.origin))]);
  await Promise.all([...own].map((url) => fetch(url)));
}
