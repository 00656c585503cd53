import { useInference } from 'inpage/react';
import OpenAI from 'openai';
import { type FormEvent, useState } from 'react';

export function Chat() {
  const { state, inference, error } = useInference();
  const [question, setQuestion] = useState('What is the capital of France?');
  const [answer, setAnswer] = useState('');
  const [isAsking, setAsking] = useState(false);

  async function ask(baseURL: string): Promise<void> {
    const openai = new OpenAI({ baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });
    // The first question loads the model.
    const stream = await openai.chat.completions.create({
      model: 'tiny-chat',
      messages: [{ role: 'user', content: question }],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      setAnswer(text);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!inference) return;
    setAsking(true);
    setAnswer('Thinking …');
    ask(inference.baseURL)
      .catch((failure: Error) => setAnswer(failure.message))
      .finally(() => setAsking(false));
  }

  return (
    <main>
      <h1>Ask the model in this page</h1>
      <form onSubmit={submit}>
        <input aria-label="Question" value={question} onChange={({ target }) => setQuestion(target.value)} required />
        <button disabled={state !== 'ready' || isAsking}>Ask</button>
      </form>
      <p role="status">{error?.message ?? (state === 'ready' ? answer : 'Starting …')}</p>
    </main>
  );
}
