/** Tool calling, step by step: the model asks for a function, this page runs it. */
import { signal } from '@preact/signals';
import { inference } from '../inference.js';
import { Problem } from '../parts/problem.js';
import { type ExampleTool, EXAMPLE_TOOLS } from './example-tools.js';
import type { WireRequest } from '../wire/wire-log.js';
import { firstRequest, problem, running, runWithTool, steps } from './tool-run.js';

const chosen = signal<ExampleTool | undefined>(EXAMPLE_TOOLS[0]);
const question = signal(EXAMPLE_TOOLS[0]?.question ?? '');

/** What it would send now. */
export function toolRequest(): WireRequest | undefined {
  return chosen.value && firstRequest(question.value.trim(), chosen.value);
}

export function ToolsPanel() {
  return (
    <div class="tool">
      <h2>Tools</h2>
      <p class="quiet">
        The model may call a function of this page. A grammar makes every call valid for its schema; the bundled model
        manages one call with words taken from your sentence. The functions are examples: the weather is made up, and no
        music plays.
      </p>
      <ToolChoice />
      <Question />
      <ol class="steps" aria-label="Steps" aria-live="polite">
        {steps.value.map(({ who, title, text }, index) => (
          <li key={index} data-who={who}>
            <b>{title}</b>
            <code>{text}</code>
          </li>
        ))}
        {running.value ? <li class="waiting" aria-label="waiting" /> : null}
      </ol>
      <Problem message={problem.value} />
    </div>
  );
}

function ToolChoice() {
  return (
    <div class="row">
      {EXAMPLE_TOOLS.map((tool) => (
        <button
          key={tool.name}
          type="button"
          class={tool === chosen.value ? 'chip chosen' : 'chip'}
          aria-pressed={tool === chosen.value}
          onClick={() => {
            chosen.value = tool;
            question.value = tool.question;
          }}
        >
          {tool.name}
        </button>
      ))}
    </div>
  );
}

function Question() {
  const submit = (event: Event): void => {
    event.preventDefault();
    if (chosen.value && question.value.trim()) void runWithTool(question.value.trim(), chosen.value);
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
