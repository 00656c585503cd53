/** Files are cut into passages and embedded; a question is answered from the passages that are nearest to it. */
import { startInference } from 'inpage';
import OpenAI from 'openai';

/** Passages that the model is given. */
const NEAREST = 2;

const { baseURL } = await startInference();
const openai = new OpenAI({ baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });
let passages = [];

const files = document.querySelector('#files');
files.disabled = false;
files.onchange = async ({ target }) => {
  const texts = await Promise.all([...target.files].map((file) => file.text()));
  const parts = texts.flatMap((text) => text.split(/\n{2,}/)).map((part) => part.trim());
  passages = await embed(parts.filter(Boolean));
  for (const control of document.querySelectorAll('form > *')) control.disabled = false;
};

document.querySelector('form').onsubmit = async (event) => {
  event.preventDefault();
  const question = document.querySelector('form input').value;
  const [{ vector }] = await embed([question]);
  const near = passages.toSorted((a, b) => dot(b.vector, vector) - dot(a.vector, vector)).slice(0, NEAREST);
  document
    .querySelector('ol')
    .replaceChildren(...near.map(({ text }) => Object.assign(document.createElement('li'), { textContent: text })));
  const context = near.map(({ text }) => text).join('\n');
  const answer = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: `${context}\n\n${question}` }],
  });
  document.querySelector('[role=status]').textContent = answer.choices[0].message.content;
};

async function embed(input) {
  const { data } = await openai.embeddings.create({ model: 'tiny-embed', input, encoding_format: 'float' });
  return data.map(({ embedding }, index) => ({ text: input[index], vector: embedding }));
}

/** Vectors have length 1, so this is the cosine of their angle. */
function dot(one, other) {
  return one.reduce((sum, value, index) => sum + value * other[index], 0);
}
