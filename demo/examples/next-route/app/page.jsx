'use client';
import { useChat } from '@ai-sdk/react';
import { createInferenceStore } from 'inpage';
import { InferenceProvider, useInference } from 'inpage/react';
import { useState } from 'react';
import { POST } from './api/chat/route.js';

// `useChat` posts to /api/chat, where the handler answers. In the page, a bundled model is what it finds at api.openai.com.
const store = createInferenceStore({
  routes: { 'POST /api/chat': POST },
  intercept: ['https://api.openai.com/v1'],
  models: [{ id: 'gpt-5-mini', task: 'chat', backend: 'gguf', source: '/models/tiny-chat/tiny-chat-Q8_0.gguf' }],
});

export default function Page() {
  return (
    <InferenceProvider store={store}>
      <Chat />
    </InferenceProvider>
  );
}

function Chat() {
  const { state, error: startError } = useInference();
  const { messages, sendMessage, status, error = startError } = useChat();
  const [text, setText] = useState('What is the capital of France?');
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text });
  };
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <p key={id} data-role={role}>
          {parts.map((part) => (part.type === 'text' ? part.text : ''))}
        </p>
      ))}
      {error ? <p role="alert">{error.message}</p> : null}
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={state !== 'ready' || status !== 'ready'}>Send</button>
      </form>
    </>
  );
}
