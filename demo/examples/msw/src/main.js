/** MSW and Inpage share the page's one Service Worker, `public/sw.js`, so that every client finds both. */
import { startInference } from 'inpage';
import { http, HttpResponse } from 'msw';
import { setupWorker } from 'msw/browser';
import OpenAI from 'openai';

const worker = setupWorker(http.get('/api/user', () => HttpResponse.json({ name: 'Ada' })));
await worker.start({ serviceWorker: { url: '/sw.js' }, onUnhandledRequest: 'bypass' });
const inference = await startInference({ serviceWorker: '/sw.js' });
const openai = new OpenAI({ baseURL: inference.baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });

const { name } = await (await fetch('/api/user')).json();
document.querySelector('#user').textContent = `Mocked: ${name}`;

const button = document.querySelector('#ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  const stream = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: target.textContent }],
    stream: true,
  });
  for await (const chunk of stream) {
    document.querySelector('[role=status]').append(chunk.choices[0]?.delta.content ?? '');
  }
};
