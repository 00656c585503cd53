/** The visitor's own files: stored, indexed and searched in the page, and a question that a model answers from them. */
import { useEffect, useState } from 'preact/hooks';
import { inference } from '../inference.js';
import { Problem } from '../parts/problem.js';
import { answer, answerProblem, askFiles, question, running, type Source, sources, stop } from './file-answer.js';
import {
  addFiles,
  adding,
  attempt,
  canAsk,
  files,
  isIndexing,
  type OwnFile,
  problem,
  refresh,
  removeAll,
  removeFile,
} from './file-list.js';

export function FilesPanel() {
  const service = inference.value;
  useEffect(() => {
    if (service) void attempt(refresh);
  }, [service]);
  return (
    <div class="tool files">
      <h2>Your files</h2>
      <p class="quiet">
        Files are stored and indexed in this browser with <code>/v1/files</code> and <code>/v1/vector_stores</code>.{' '}
        <code>POST /v1/responses</code> with the tool <code>file_search</code> searches them before it answers. No byte
        leaves the page.
      </p>
      <DropZone />
      <FileList />
      <Problem message={problem.value} />
      <Question />
      <Answer />
    </div>
  );
}

function DropZone() {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class="drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) void addFiles(event.dataTransfer.files);
      }}
    >
      <label class="button">
        Choose files
        <input
          class="hidden"
          type="file"
          multiple
          disabled={!inference.value}
          onChange={({ currentTarget }) => {
            void addFiles([...(currentTarget.files ?? [])]);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
      </label>
      <span class="quiet">or drop them here: text, HTML, PDF and DOCX</span>
    </div>
  );
}

function FileList() {
  const list = files.value;
  const waiting = adding.value + list.filter(({ status }) => status === 'in_progress').length;
  return (
    <>
      <div class="row">
        <span class="quiet" role="status">
          {list.length === 0 && waiting === 0
            ? 'No files yet.'
            : `${list.length} ${list.length === 1 ? 'file' : 'files'}`}
          {waiting > 0 ? ` · indexing ${waiting}` : ''}
        </span>
        <span class="push" />
        {list.length > 0 ? (
          <button type="button" class="small" onClick={() => void removeAll()}>
            Remove all
          </button>
        ) : null}
      </div>
      {list.length > 0 ? (
        <ul class="file-list" aria-label="Files">
          {list.map((file) => (
            <FileRow key={file.id} file={file} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

const WORDS: Record<OwnFile['status'], string> = {
  in_progress: 'indexing',
  completed: 'ready',
  cancelled: 'cancelled',
  failed: 'failed',
};

function FileRow({ file: { id, name, status, error } }: { file: OwnFile }) {
  return (
    <li>
      <span class="name">{name}</span>
      <span class="quiet">{error ?? WORDS[status]}</span>
      <button type="button" class="small" aria-label={`Remove ${name}`} onClick={() => void removeFile(id)}>
        Remove
      </button>
    </li>
  );
}

function Question() {
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void askFiles();
      }}
    >
      <input
        class="query"
        aria-label="Question about your files"
        placeholder="Ask something that is in your files"
        value={question.value}
        onInput={(event) => (question.value = event.currentTarget.value)}
      />
      {running.value ? (
        <button type="button" class="primary stop" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" disabled={!canAsk.value || !question.value.trim()}>
          Ask
        </button>
      )}
      {isIndexing.value ? <span class="quiet">Files that are still being indexed are left out.</span> : null}
    </form>
  );
}

function Answer() {
  const found = sources.value;
  return (
    <>
      <Problem message={answerProblem.value} />
      {answer.value ? (
        <section aria-label="Answer">
          <p class="file-answer">{answer.value}</p>
        </section>
      ) : null}
      {found?.length === 0 ? <p class="quiet">The search found nothing.</p> : null}
      {found && found.length > 0 ? (
        <section aria-label="What was found">
          <h3 class="section">What the model was given</h3>
          <ol class="found-files">
            {found.map((source, index) => (
              <SourceCard key={index} source={source} />
            ))}
          </ol>
        </section>
      ) : null}
    </>
  );
}

function SourceCard({ source: { filename, score, isCited, parts } }: { source: Source }) {
  return (
    <li class="card" data-cited={isCited}>
      <header class="row">
        <strong>{filename}</strong>
        <span class="quiet">
          {isCited ? 'cited · ' : ''}score {score.toFixed(2)}
        </span>
      </header>
      <p>
        {parts.before}
        {parts.sentence ? (
          <mark title={isCited ? 'What the answer uses' : 'Nearest to the question and the answer'}>
            {parts.sentence}
          </mark>
        ) : null}
        {parts.behind}
      </p>
    </li>
  );
}
