/** One's own notes in place of the forty: a line each. */
import { useState } from 'preact/hooks';
import { hasOwnNotes, isBuilding, MAX_NOTES, problem, searchIn } from './note-index.js';
import { problemOf } from '../parts/problem-of.js';

export function OwnNotes() {
  const [text, setText] = useState('');
  const take = (lines: string): void => {
    searchIn(lines).catch((error: unknown) => {
      problem.value = problemOf(error);
    });
  };
  return (
    <details class="own-notes">
      <summary>Search your own notes</summary>
      <textarea
        rows={5}
        aria-label="Your notes, a line each"
        placeholder="Paste notes here, a line each. They stay in this browser."
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row">
        <button type="button" disabled={!text.trim() || isBuilding.value} onClick={() => take(text)}>
          Search these
        </button>
        {hasOwnNotes.value ? (
          <button type="button" disabled={isBuilding.value} onClick={() => take('')}>
            Back to the forty
          </button>
        ) : null}
        <span class="quiet">up to {MAX_NOTES}</span>
      </div>
    </details>
  );
}
