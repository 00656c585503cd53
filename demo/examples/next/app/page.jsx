'use client';
import { useEffect, useState } from 'react';

export default function Page() {
  const [isReady, setReady] = useState(false);
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    // In the browser alone: a build renders this page too.
    void import('inpage').then(({ startInference }) => startInference()).then(() => setReady(true));
  }, []);
  const ask = async ({ target }) => {
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: target.textContent }] }),
    });
    setAnswer((await response.json()).choices[0].message.content);
  };
  return (
    <>
      <button disabled={!isReady} onClick={(event) => void ask(event)}>
        What is the capital of France?
      </button>
      <p role="status">{answer}</p>
    </>
  );
}
