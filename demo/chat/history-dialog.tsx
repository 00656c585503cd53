/** The conversations of this browser: open, take along, delete. */
import { useEffect, useRef } from 'preact/hooks';
import { conversationId, openConversation, startNewChat } from './conversation.js';
import { exportConversation, refresh, remove, saved, type SavedConversation } from './saved-conversations.js';

export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    void refresh();
  }, []);
  return (
    <dialog ref={dialog} class="history" aria-labelledby="history-title" onClose={onClose}>
      <form method="dialog" class="row">
        <h3 id="history-title">Conversations</h3>
        <span class="push" />
        <button type="submit" class="small">
          Close
        </button>
      </form>
      {saved.value.length === 0 ? (
        <p class="quiet">None yet. After a model has answered, conversations are stored in this browser only.</p>
      ) : (
        <ul class="catalog" aria-label="Conversations">
          {saved.value.map((conversation) => (
            <Row key={conversation.id} conversation={conversation} onOpen={() => dialog.current?.close()} />
          ))}
        </ul>
      )}
    </dialog>
  );
}

function Row({ conversation, onOpen }: { conversation: SavedConversation; onOpen: () => void }) {
  const { id, title, updated, turns } = conversation;
  const open = (): void => {
    openConversation(conversation);
    onOpen();
  };
  const forget = (): void => {
    if (id === conversationId.value) startNewChat();
    void remove(id);
  };
  return (
    <li class="row" aria-label={title}>
      <button type="button" class="link" aria-current={id === conversationId.value} onClick={open}>
        {title}
      </button>
      <span class="push" />
      <span class="quiet">
        {turns.length} turns · {new Date(updated).toLocaleDateString()}
      </span>
      <button type="button" class="small" onClick={() => exportConversation(conversation)}>
        Export
      </button>
      <button type="button" class="small" onClick={forget}>
        Delete
      </button>
    </li>
  );
}
