import { startInference } from 'inpage';
import { api } from './api.js';

await startInference({ routes: { '/api/*': api.fetch } });

const status = document.querySelector('[role=status]');
const button = document.querySelector('#ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  const response = await fetch('/api/topics/cities/questions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: target.textContent }),
  });
  status.textContent = `${response.headers.get('x-topic')}: `;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) status.textContent += read.value;
};
