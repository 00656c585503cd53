/** One question or answer, and what can be done with it. */
import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem.js';
import { AnswerText } from './answer-text.js';
import { editing, regenerate, running } from './conversation.js';
import { ReadAloudButton } from './read-aloud-button.js';
import { speaker } from '../voice/speakers.js';
import { ImageRow } from './image-row.js';
import type { Turn } from './turn.js';

interface TurnViewProps {
  turn: Turn;
  index: number;
  /** Only the last answer can be written again. */
  isLast: boolean;
}

export function TurnView({ turn, index, isLast }: TurnViewProps) {
  const isWaiting = !turn.text && !turn.reasoning && !turn.error && !turn.note;
  const isEdited = editing.value === index;
  return (
    <article class={`turn ${turn.role}`} data-role={turn.role} data-edited={isEdited}>
      {turn.reasoning ? (
        <details open={!turn.text}>
          <summary>Thinking</summary>
          <p>{turn.reasoning}</p>
        </details>
      ) : null}
      {turn.images ? <ImageRow images={turn.images} /> : null}
      {turn.text && turn.role === 'assistant' ? <AnswerText text={turn.text} /> : <p>{turn.text}</p>}
      {isWaiting ? <p class="waiting" aria-label="waiting" /> : null}
      <Problem message={turn.error} />
      {turn.note ? <footer>{turn.note}</footer> : null}
      {isWaiting ? null : (
        <div class="actions">
          <CopyText text={turn.text} />
          {turn.role === 'user' ? (
            <button type="button" class="small" disabled={running.value} onClick={() => (editing.value = index)}>
              Edit
            </button>
          ) : null}
          {turn.role === 'assistant' && speaker.value ? <ReadAloudButton index={index} isLast={isLast} /> : null}
          {turn.role === 'assistant' && isLast ? (
            <button type="button" class="small" disabled={running.value} onClick={() => void regenerate()}>
              Regenerate
            </button>
          ) : null}
        </div>
      )}
    </article>
  );
}

function CopyText({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="small" disabled={!text} onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}
