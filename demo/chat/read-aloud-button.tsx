/** Begins with the first sentence, also while the answer is being written. */
import { readAloud, readProblem, readTurn, stopReading } from '../voice/read-aloud.js';
import { conversation, running } from './conversation.js';

interface ReadAloudButtonProps {
  /** Of the turn. */
  index: number;
  isLast: boolean;
}

export function ReadAloudButton({ index, isLast }: ReadAloudButtonProps) {
  const isRead = readTurn.value === index;
  const look = () => ({ text: conversation.value[index]?.text ?? '', isWhole: !(isLast && running.value) });
  return (
    <>
      <button
        type="button"
        class="small"
        aria-pressed={isRead}
        onClick={() => (isRead ? stopReading() : void readAloud(index, look))}
      >
        {isRead ? 'Stop reading' : 'Read aloud'}
      </button>
      {isLast && readProblem.value ? (
        <span class="alert" role="alert">
          {readProblem.value}
        </span>
      ) : null}
    </>
  );
}
