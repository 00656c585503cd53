/** The box to write in: it keeps the focus, and Enter sends. */
import { createRef } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chatModel, chatModels } from '../inference.js';
import { Segmented } from '../parts/segmented.js';
import { attach, attached, IMAGE_TYPES, sees } from './attached-images.js';
import { HistoryDialog } from './history-dialog.js';
import { ImageRow } from './image-row.js';
import { TalkButton } from './talk-button.js';
import { talkProblem, talkState } from '../voice/talk.js';
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

const TALK_WORDS = { listening: 'Listening while you hold the button', 'writing down': 'Transcribing your words' };

const box = createRef<HTMLTextAreaElement>();

export function focusComposer(): void {
  box.current?.focus();
}

/** What is written, or the earlier question that is edited. */
function useQuestion() {
  const [text, setText] = useState('');
  useEffect(focusComposer, []);
  const edited = editing.value;
  useEffect(() => {
    if (edited === undefined) return;
    const asked = conversation.peek()[edited];
    setText(asked?.text ?? '');
    attached.value = asked?.images ?? [];
    focusComposer();
  }, [edited]);
  const cancelEdit = (): void => {
    editing.value = undefined;
    attached.value = [];
    setText('');
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    focusComposer();
    if (running.value || !text.trim()) return;
    const images = sees.value ? attached.value : [];
    void (edited === undefined ? send(text.trim(), images) : askAgain(edited, text.trim(), images));
    attached.value = [];
    setText('');
  };
  return { text, setText, edited, submit, cancelEdit };
}

export function Composer() {
  const { text, setText, edited, submit, cancelEdit } = useQuestion();
  const [showsSettings, setShowsSettings] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  return (
    <>
      <form
        class="composer"
        onSubmit={submit}
        onDragOver={(event) => sees.value && event.preventDefault()}
        onDrop={(event) => {
          if (!sees.value || !event.dataTransfer?.files.length) return;
          event.preventDefault();
          void attach(event.dataTransfer.files);
        }}
      >
        {edited === undefined ? null : <Edited onCancel={cancelEdit} />}
        {showsSettings ? <SettingsDrawer /> : null}
        {sees.value && attached.value.length > 0 ? (
          <ImageRow
            images={attached.value}
            onRemove={(index) => (attached.value = attached.value.filter((_, place) => place !== index))}
          />
        ) : null}
        <textarea
          ref={box}
          rows={1}
          value={text}
          placeholder="Ask the model in this page"
          aria-label="Message"
          onInput={(event) => setText(event.currentTarget.value)}
          onPaste={(event) => {
            const { files } = event.clipboardData ?? {};
            if (!sees.value || !files?.length) return;
            event.preventDefault();
            void attach(files);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
          }}
        />
        {talkState.value || talkProblem.value ? (
          <p class="quiet talking" role="status">
            {talkState.value ? TALK_WORDS[talkState.value] : talkProblem.value}
          </p>
        ) : null}
        <HowItIsAsked />
        <Controls
          showsSettings={showsSettings}
          onSettings={() => setShowsSettings(!showsSettings)}
          onHistory={() => setShowsHistory(true)}
        />
      </form>
      {showsHistory ? <HistoryDialog onClose={() => setShowsHistory(false)} /> : null}
    </>
  );
}

function Edited({ onCancel }: { onCancel: () => void }) {
  return (
    <p class="row editing">
      You are editing this question. Everything after it will be removed.
      <button type="button" class="small" onClick={onCancel}>
        Cancel
      </button>
    </p>
  );
}

function HowItIsAsked() {
  return (
    <div class="controls how">
      <Segmented
        label="API"
        showsLabel
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
        Let it think first
      </label>
      <output class="speed" aria-label="Speed">
        {speed.value}
      </output>
    </div>
  );
}

function Controls({
  showsSettings,
  onSettings,
  onHistory,
}: {
  showsSettings: boolean;
  onSettings: () => void;
  onHistory: () => void;
}) {
  return (
    <div class="controls">
      <ModelChoice />
      {sees.value ? <ImageChoice /> : null}
      <TalkButton />
      <button type="button" aria-expanded={showsSettings} aria-controls="chat-settings" onClick={onSettings}>
        Settings{settingsCount.value > 0 ? ` (${settingsCount.value})` : ''}
      </button>
      <span class="push" />
      <button type="button" onClick={onHistory}>
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
      <SendOrStop />
    </div>
  );
}

function SendOrStop() {
  return running.value ? (
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
    <button type="submit" class="primary">
      Send
    </button>
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

/** Phones offer their camera here, too. */
function ImageChoice() {
  return (
    <label class="button">
      Image
      <input
        type="file"
        class="hidden"
        multiple
        accept={IMAGE_TYPES.join(',')}
        onChange={(event) => {
          const chosen = event.currentTarget;
          void attach(chosen.files ?? []).then(() => (chosen.value = ''));
        }}
      />
    </label>
  );
}
