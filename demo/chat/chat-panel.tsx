/** The conversation, which follows its own end unless the reader has scrolled away. */
import { inference } from '../inference.js';
import { useFollowedEnd } from '../parts/use-followed-end.js';
import { Composer, focusComposer } from './composer.js';
import { conversation, send } from './conversation.js';
import { TurnView } from './turn-view.js';

const SUGGESTIONS = [
  'What is the capital of France?',
  'What is 17 + 25?',
  'Who are you?',
  'Tell me a very short story.',
];

/** Pixels from the end that still count as the end. */
const NEAR = 48;

export function ChatPanel() {
  const turns = conversation.value;
  // A new question is at the end, wherever the reader was.
  const log = useFollowedEnd<HTMLDivElement>(turns, NEAR, turns.length);
  return (
    <>
      <div ref={log} class="turns" role="log" aria-label="Conversation" aria-live="polite" tabIndex={0}>
        {turns.length === 0 ? (
          <Welcome />
        ) : (
          turns.map((turn, index) => (
            <TurnView key={index} turn={turn} index={index} isLast={index === turns.length - 1} />
          ))
        )}
      </div>
      <Composer />
    </>
  );
}

function Welcome() {
  const ask = (text: string): void => {
    void send(text);
    focusComposer();
  };
  return (
    <div class="welcome">
      <h2>This page has its own /v1.</h2>
      <p>
        Every answer comes from a model that runs in this page: <code>fetch('/v1/chat/completions')</code> goes to a
        Service Worker, not to a server. Switch the network off and ask again.
      </p>
      <div class="suggestions">
        {SUGGESTIONS.map((text) => (
          <button key={text} type="button" disabled={!inference.value} onClick={() => ask(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
