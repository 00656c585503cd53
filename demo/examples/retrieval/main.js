/** Files are cut into passages and embedded; a question is answered from the passages that suit it best. */
import { DEFAULT_MODELS, startInference } from 'inpage';
import OpenAI from 'openai';

/** Passages that are nearest to a question; a reranker reads them all. */
const NEAREST = 8;
/** Passages that the model is given. */
const GIVEN = 2;

/** None comes with the package. This one (23 MB) is fetched from the Hugging Face Hub when it is first used. */
const RERANKER = {
  id: 'reranker',
  task: 'rerank',
  backend: 'transformers',
  source: 'Xenova/ms-marco-MiniLM-L-6-v2',
};

const { baseURL } = await startInference({ models: [...DEFAULT_MODELS, RERANKER] });
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
  const near = passages
    .toSorted((a, b) => dot(b.vector, vector) - dot(a.vector, vector))
    .slice(0, NEAREST)
    .map(({ text }) => text);
  show('#near', near);
  show('#reranked', []);
  const best = document.querySelector('#rerank').checked ? await rerank(question, near) : near;
  const answer = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: `${best.slice(0, GIVEN).join('\n')}\n\n${question}` }],
  });
  document.querySelector('[role=status]').textContent = answer.choices[0].message.content;
};

async function embed(input) {
  const { data } = await openai.embeddings.create({ model: 'tiny-embed', input, encoding_format: 'float' });
  return data.map(({ embedding }, index) => ({ text: input[index], vector: embedding }));
}

/** The same passages in the order of a model that reads each together with the question; as they were where it fails. */
async function rerank(query, documents) {
  const note = document.querySelector('[role=note]');
  note.textContent = 'Reranking …';
  try {
    const { results } = await openai.post('/rerank', { body: { model: RERANKER.id, query, documents }, maxRetries: 0 });
    const best = results.map(({ index }) => documents[index]);
    show('#reranked', best);
    note.textContent = '';
    return best;
  } catch (error) {
    note.textContent = `Not reranked, the nearest passages are used: ${error.message}`;
    return documents;
  }
}

function show(list, texts) {
  const items = texts.map((text) => Object.assign(document.createElement('li'), { textContent: text }));
  document.querySelector(list).replaceChildren(...items);
}

/** Vectors have length 1, so this is the cosine of their angle. */
function dot(one, other) {
  return one.reduce((sum, value, index) => sum + value * other[index], 0);
}
