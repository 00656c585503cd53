/** Search by meaning: the query's words need not be in the note. */
import { useEffect, useRef } from 'preact/hooks';
import { inference } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import { RecommendedList } from '../models/recommended-list.js';
import { embedder, embedders } from './embedders.js';
import { HitLists } from './hit-lists.js';
import { NoteMap } from './note-map.js';
import { OwnNotes } from './own-notes.js';
import {
  buildIndex,
  duration,
  hasOwnNotes,
  hits,
  isBuilding,
  noteCount,
  problem,
  query,
  search,
  searchWith,
  suggestions,
} from './note-index.js';

/** Milliseconds without a key until the query is sent. */
const TYPING_PAUSE = 150;

export function SearchPanel() {
  const isReady = inference.value !== undefined;
  useEffect(() => {
    if (!isReady) return;
    buildIndex().catch((error: unknown) => (problem.value = problemOf(error)));
  }, [isReady]);
  return (
    <div class="tool search">
      <h2>Search by meaning</h2>
      <p class="quiet">
        Finds notes by what they mean: the words do not have to match. {hasOwnNotes.value ? 'Your' : 'The forty'} notes
        become vectors with <code>POST /v1/embeddings</code>.
      </p>
      <EmbedderChoice />
      <QueryBox />
      <Problem message={problem.value} />
      <p class="quiet" role="status">
        {isBuilding.value ? 'Embedding the notes' : `${noteCount.value} notes`}
        {hits.value.length > 0 ? ` · query in ${duration.value} ms` : ''}
      </p>
      <HitLists />
      <NoteMap />
      <OwnNotes />
      {embedder.value === 'tiny-embed' ? <TinyFigures /> : null}
    </div>
  );
}

/** How good the bundled model is; below what it found. */
function TinyFigures() {
  return (
    <details class="own-notes">
      <summary>How well tiny-embed finds things</summary>
      <p class="quiet">
        For the 40 test queries in its model card, the right note comes first 34 times, and in the top three 37 times. A
        larger model finds more: for 112 texts of many kinds, tiny-embed puts the right one first 32 times,
        all-MiniLM-L6-v2 75 times.
      </p>
    </details>
  );
}

function EmbedderChoice() {
  return (
    <>
      <label class="row quiet">
        Model
        <select
          aria-label="Embedding model"
          value={embedder.value}
          onChange={(event) => void searchWith(event.currentTarget.value)}
        >
          {embedders.value.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <RecommendedList
        task="embeddings"
        summary="Search with a recommended model"
        onReady={({ id }) => void searchWith(id)}
      />
      <p class="quiet">You can add other models under Models.</p>
    </>
  );
}

function QueryBox() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const type = (words: string): void => {
    query.value = words;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void search(words), TYPING_PAUSE);
  };
  return (
    <>
      <input
        type="search"
        class="query"
        aria-label="Query"
        placeholder="What are you looking for?"
        value={query.value}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <div class="row">
        {suggestions.value.map((words) => (
          <button key={words} type="button" class="chip" onClick={() => void search(words)}>
            {words}
          </button>
        ))}
      </div>
    </>
  );
}
