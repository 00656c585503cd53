/** Held while one speaks, by pointer or by the space bar. */
import { inference } from '../inference.js';
import { beginTalk, endTalk, talkState } from '../voice/talk.js';

export function TalkButton() {
  const begin = (): void => void beginTalk();
  return (
    <button
      type="button"
      class="talk"
      aria-label="Hold to talk"
      title="Hold to talk. Your words are transcribed and sent, and the answer is read aloud if a voice is installed."
      aria-pressed={talkState.value === 'listening'}
      disabled={!inference.value || talkState.value === 'writing down'}
      onPointerDown={begin}
      onPointerUp={endTalk}
      onPointerLeave={endTalk}
      onPointerCancel={endTalk}
      onBlur={endTalk}
      onKeyDown={(event) => {
        if (event.key === ' ' && !event.repeat) begin();
      }}
      onKeyUp={(event) => {
        if (event.key === ' ') endTalk();
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 1.5a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0v-4a2 2 0 0 1 2-2ZM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5" />
      </svg>
    </button>
  );
}
