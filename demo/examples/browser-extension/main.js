/** A page of an extension cannot have a Service Worker between itself and its requests, so it asks `inference.fetch`. */
import { startInference } from 'inpage';

const inference = await startInference({ serviceWorker: false });

const button = document.querySelector('#ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  const response = await inference.fetch(`${inference.baseURL}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: target.textContent }] }),
  });
  document.querySelector('[role=status]').textContent = (await response.json()).choices[0].message.content;
};
