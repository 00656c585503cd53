/** The conversation and the box to write in. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { chatModel, chatModels, inference } from '../inference.js';
import { type Turn, conversation, running, send, speed, stop, thinking } from './conversation.js';

const SUGGESTIONS = [
  'What is the capital of France?',
  'What is 17 + 25?',
  'Who are you?',
  'Tell me a very short story.',
];

export function ChatPanel() {
  const end = useRef<HTMLDivElement>(null);
  const turns = conversation.value;
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [turns]);
  return (
    <>
      <div class="turns" role="log" aria-live="polite">
        {turns.length === 0 ? <Welcome /> : turns.map((turn, index) => <TurnView key={index} turn={turn} />)}
        <div ref={end} />
      </div>
      <Composer />
    </>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <h2>This page has its own /v1.</h2>
      <p>
        Every answer comes from a model that runs in this page: <code>fetch('/v1/chat/completions')</code> goes to a
        Service Worker, not to a server. Switch the network off and ask again.
      </p>
      <div class="suggestions">
        {SUGGESTIONS.map((text) => (
          <button key={text} type="button" disabled={!inference.value} onClick={() => void send(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

function TurnView({ turn }: { turn: Turn }) {
  return (
    <article class={`turn ${turn.role}`} data-role={turn.role}>
      {turn.reasoning ? (
        <details open={!turn.text}>
          <summary>Thinking</summary>
          <p>{turn.reasoning}</p>
        </details>
      ) : null}
      {turn.text ? (
        <p>{turn.text}</p>
      ) : turn.error || turn.reasoning ? null : (
        <p class="waiting" aria-label="waiting" />
      )}
      {turn.error ? (
        <p class="alert" role="alert">
          {turn.error}
        </p>
      ) : null}
      {turn.note ? <footer>{turn.note}</footer> : null}
    </article>
  );
}

function Composer() {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (running.value || !text.trim()) return;
    void send(text.trim());
    setText('');
  };
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        rows={2}
        value={text}
        placeholder="Ask the model in this page"
        aria-label="Message"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <div class="controls">
        <select
          aria-label="Model"
          value={chatModel.value}
          onChange={(event) => (chatModel.value = event.currentTarget.value)}
        >
          {chatModels.value.map((model) => (
            <option key={model.id} value={model.id}>
              {model.id}
            </option>
          ))}
        </select>
        <label>
          <input
            type="checkbox"
            checked={thinking.value}
            onChange={(event) => (thinking.value = event.currentTarget.checked)}
          />
          think
        </label>
        <output class="speed" aria-label="Speed">
          {speed.value}
        </output>
        {running.value ? (
          <button type="button" class="stop" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="send" disabled={!inference.value}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}
