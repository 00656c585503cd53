import { useChat } from '@ai-sdk/react';
import { useState } from 'react';

export function Chat() {
  const { messages, sendMessage, status, error } = useChat();
  const [text, setText] = useState('');
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
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
        <button disabled={status !== 'ready'}>Send</button>
      </form>
    </>
  );
}
