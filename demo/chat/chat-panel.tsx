/** The conversation, which follows its own end unless the reader has scrolled away. */
import { useFollowedEnd } from '../parts/use-followed-end.js';
import { Composer } from './composer.js';
import { conversation } from './conversation.js';
import { TurnView } from './turn-view.js';
import { Welcome } from './welcome.js';

/** Pixels from the end that still count as the end. */
const NEAR = 48;

export function ChatPanel() {
  const turns = conversation.value;
  // A new question is at the end, wherever the reader was; without one the beginning is shown.
  const log = useFollowedEnd<HTMLDivElement>(turns, turns.length === 0 ? -Infinity : NEAR, turns.length);
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
