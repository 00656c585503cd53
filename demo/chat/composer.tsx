/** The box to write in: it keeps the focus, and Enter sends. */
import { createRef } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chatModel, chatModels, inference } from '../inference.js';
import { Segmented } from '../parts/segmented.js';
import {
  conversation,
  DIALECTS,
  dialect,
  type DialectName,
  running,
  send,
  speed,
  startNewChat,
  stop,
  thinking,
} from './conversation.js';

const DIALECT_CHOICES = Object.entries(DIALECTS).map(([name, { title }]) => [name as DialectName, title] as const);

const box = createRef<HTMLTextAreaElement>();

export function focusComposer(): void {
  box.current?.focus();
}

export function Composer() {
  const [text, setText] = useState('');
  useEffect(focusComposer, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    focusComposer();
    if (running.value || !inference.value || !text.trim()) return;
    void send(text.trim());
    setText('');
  };
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        ref={box}
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
        <Segmented
          label="Try it as"
          choices={DIALECT_CHOICES}
          value={dialect.value}
          onChange={(name) => (dialect.value = name)}
        />
        <label class="check">
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
      </div>
      <div class="controls">
        <ModelChoice />
        <span class="push" />
        <button
          type="button"
          disabled={conversation.value.length === 0}
          onClick={() => {
            startNewChat();
            focusComposer();
          }}
        >
          New chat
        </button>
        {running.value ? (
          <button
            type="button"
            class="primary stop"
            onClick={() => {
              stop();
              focusComposer();
            }}
          >
            Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={!inference.value}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}

function ModelChoice() {
  return (
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
  );
}
