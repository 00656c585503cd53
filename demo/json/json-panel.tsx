/** Structured output: a schema, a question, and an answer that conforms to it. */
import { inference } from '../inference.js';
import { formatJson } from '../parts/format-json.js';
import { EXAMPLES } from './json-examples.js';
import { answer, askForJson, problem, question, running, schemaText } from './json-run.js';

export function JsonPanel() {
  return (
    <div class="tool json">
      <h2>JSON</h2>
      <p class="quiet">
        With <code>response_format: json_schema</code> a grammar lets the model write only what conforms to the schema.
        What it puts into the fields is up to the model: tiny-chat manages two to four fields from one sentence.
      </p>
      <div class="row">
        {EXAMPLES.map((example) => (
          <button
            key={example.title}
            type="button"
            class="chip"
            onClick={() => {
              schemaText.value = example.schema;
              question.value = example.question;
              problem.value = undefined;
            }}
          >
            {example.title}
          </button>
        ))}
      </div>
      <SchemaField />
      <Question />
      {running.value ? <p class="waiting" role="status" aria-label="waiting" /> : null}
      {answer.value === undefined ? null : (
        <pre aria-label="Answer" tabIndex={0}>
          {formatJson(answer.value)}
        </pre>
      )}
    </div>
  );
}

function SchemaField() {
  const { field, message } = problem.value ?? {};
  return (
    <>
      <label class="field">
        JSON Schema
        <textarea
          rows={9}
          class="code"
          spellcheck={false}
          value={schemaText.value}
          aria-invalid={field !== undefined}
          aria-describedby={message ? 'json-problem' : undefined}
          onInput={(event) => (schemaText.value = event.currentTarget.value)}
        />
      </label>
      {message ? (
        <p class="alert" role="alert" id="json-problem">
          {field ? (
            <>
              <code>{field}</code>{' '}
            </>
          ) : null}
          {message}
        </p>
      ) : null}
    </>
  );
}

function Question() {
  const submit = (event: Event): void => {
    event.preventDefault();
    if (question.value.trim()) void askForJson();
  };
  return (
    <form class="row" onSubmit={submit}>
      <input
        type="text"
        class="query"
        aria-label="Question"
        value={question.value}
        onInput={(event) => (question.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={!inference.value || running.value}>
        Ask
      </button>
    </form>
  );
}
