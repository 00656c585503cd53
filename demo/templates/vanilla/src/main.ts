import { startInference } from 'inpage';
import OpenAI from 'openai';
import './style.css';

const form = document.querySelector('form')!;
const button = form.querySelector('button')!;
const status = document.querySelector('[role=status]')!;

async function start(): Promise<void> {
  const inference = await startInference();
  const openai = new OpenAI({ baseURL: inference.baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const question = new FormData(form).get('question') as string;
    button.disabled = true;
    answer(openai, question)
      .catch(show)
      .finally(() => (button.disabled = false));
  });
  status.textContent = '';
  button.disabled = false;
}

async function answer(openai: OpenAI, question: string): Promise<void> {
  // The first question loads the model.
  status.textContent = 'Thinking …';
  const stream = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: question }],
    stream: true,
  });
  let text = '';
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    status.textContent = text;
  }
}

function show(error: Error): void {
  status.textContent = error.message;
}

start().catch(show);
