/** One question or answer. */
import type { Turn } from './conversation.js';

export function TurnView({ turn }: { turn: Turn }) {
  const isWaiting = !turn.text && !turn.reasoning && !turn.error && !turn.note;
  return (
    <article class={`turn ${turn.role}`} data-role={turn.role}>
      {turn.reasoning ? (
        <details open={!turn.text}>
          <summary>Thinking</summary>
          <p>{turn.reasoning}</p>
        </details>
      ) : null}
      {turn.text ? <p>{turn.text}</p> : null}
      {isWaiting ? <p class="waiting" aria-label="waiting" /> : null}
      {turn.error ? (
        <p class="alert" role="alert">
          {turn.error}
        </p>
      ) : null}
      {turn.note ? <footer>{turn.note}</footer> : null}
    </article>
  );
}
