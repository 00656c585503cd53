/** The box to write in: it keeps the focus, and Enter sends. */
import { createRef } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chatModel, chatModels, inference } from '../inference.js';
import { Segmented } from '../parts/segmented.js';
import { HistoryDialog } from './history-dialog.js';
import { settingsCount } from './settings.js';
import { SettingsDrawer } from './settings-drawer.js';
import {
  askAgain,
  conversation,
  DIALECTS,
  dialect,
  editing,
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
  const [showsSettings, setShowsSettings] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  useEffect(focusComposer, []);
  const edited = editing.value;
  useEffect(() => {
    if (edited === undefined) return;
    setText(conversation.peek()[edited]?.text ?? '');
    focusComposer();
  }, [edited]);
  const cancelEdit = (): void => {
    editing.value = undefined;
    setText('');
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    focusComposer();
    if (running.value || !inference.value || !text.trim()) return;
    void (edited === undefined ? send(text.trim()) : askAgain(edited, text.trim()));
    setText('');
  };
  return (
    <>
      <form class="composer" onSubmit={submit} data-settings={showsSettings}>
        {edited === undefined ? null : (
          <p class="row editing">
            Asking this question differently; what followed it will be gone.
            <button type="button" class="small" onClick={cancelEdit}>
              Cancel
            </button>
          </p>
        )}
        {showsSettings ? <SettingsDrawer /> : null}
        <textarea
          ref={box}
          rows={1}
          value={text}
          placeholder="Ask the model in this page"
          aria-label="Message"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
          }}
        />
        <div class="controls how">
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
          <button
            type="button"
            aria-expanded={showsSettings}
            aria-controls="chat-settings"
            onClick={() => setShowsSettings(!showsSettings)}
          >
            Settings{settingsCount.value > 0 ? ` (${settingsCount.value})` : ''}
          </button>
          <span class="push" />
          <button type="button" onClick={() => setShowsHistory(true)}>
            History
          </button>
          <button
            type="button"
            aria-label="New chat"
            disabled={conversation.value.length === 0}
            onClick={() => {
              startNewChat();
              focusComposer();
            }}
          >
            New<span class="wide-only"> chat</span>
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
      {showsHistory ? <HistoryDialog onClose={() => setShowsHistory(false)} /> : null}
    </>
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
