/** Decisions: an input, questions about it, and how likely each answer is. */
import { inference } from '../inference.js';
import { Problem } from '../parts/problem.js';
import { EXAMPLES } from './decision-examples.js';
import {
  addQuestion,
  changeQuestion,
  decide,
  decided,
  type DecidedQuestion,
  input,
  problem,
  questions,
  removeQuestion,
  running,
  takeExample,
} from './decision-run.js';

export function DecidePanel() {
  return (
    <div class="tool decide">
      <h2>Decide</h2>
      <p class="quiet">
        With <code>/decisions</code> the model writes nothing: the probabilities of the possible answers are read from
        its logits. The input is read once for all questions. tiny-chat manages short sentences like these, and gets
        many others wrong.
      </p>
      <div class="row">
        {EXAMPLES.map((example) => (
          <button key={example.title} type="button" class="chip" onClick={() => takeExample(example)}>
            {example.title}
          </button>
        ))}
      </div>
      <Questions />
      <Problem message={problem.value} />
      {running.value ? <p class="waiting" role="status" aria-label="waiting" /> : null}
      {decided.value.map((question, index) => (
        <Decided key={index} {...question} />
      ))}
    </div>
  );
}

function Questions() {
  const submit = (event: Event): void => {
    event.preventDefault();
    void decide();
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        Input
        <textarea
          rows={3}
          required
          value={input.value}
          onInput={(event) => (input.value = event.currentTarget.value)}
        />
      </label>
      {questions.value.map(({ instructions, choices }, index) => (
        <fieldset key={index} class="question">
          <legend class="hidden">Question {index + 1}</legend>
          <label class="field">
            Question
            <input
              type="text"
              required
              value={instructions}
              onInput={(event) => changeQuestion(index, { instructions: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            Choices, with commas between them
            <input
              type="text"
              placeholder="yes or no"
              value={choices}
              onInput={(event) => changeQuestion(index, { choices: event.currentTarget.value })}
            />
          </label>
          <button
            type="button"
            class="small"
            aria-label={`Remove question ${index + 1}`}
            disabled={questions.value.length === 1}
            onClick={() => removeQuestion(index)}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <div class="row">
        <button type="button" class="small" onClick={addQuestion}>
          Add a question
        </button>
        <span class="push" />
        <button type="submit" class="primary" disabled={!inference.value || running.value}>
          Decide
        </button>
      </div>
    </form>
  );
}

function Decided({ instructions, options }: DecidedQuestion) {
  return (
    <section aria-label={instructions}>
      <h3>{instructions}</h3>
      {options.length === 0 ? <p class="quiet">The model does not answer this.</p> : null}
      <ol class="options">
        {options.map(({ value, probability }) => (
          <li key={value}>
            <span>{value}</span>
            <div
              class="probability"
              role="meter"
              aria-label={`Probability of ${value}`}
              aria-valuemin={0}
              aria-valuemax={1}
              aria-valuenow={probability}
            >
              <span style={{ width: `${100 * probability}%` }} />
            </div>
            <output>{Math.round(100 * probability)} %</output>
          </li>
        ))}
      </ol>
    </section>
  );
}
