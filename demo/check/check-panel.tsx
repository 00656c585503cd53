/** What `diagnose()` finds on this page, line by line with the fix. */
import { signal } from '@preact/signals';
import { diagnose, type Finding } from 'inpage';
import { useEffect } from 'preact/hooks';
import { inference, startError } from '../inference.js';
import { InlineCode } from '../parts/inline-code.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import { DeviceSpeed } from '../speed/device-speed.js';

const LEVELS = { ok: 'OK', warning: 'warning', problem: 'problem' } as const;

const WORST_FIRST: readonly Finding['level'][] = ['problem', 'warning', 'ok'];

const findings = signal<Finding[] | undefined>(undefined);
const problem = signal('');
const running = signal(false);

async function check(): Promise<void> {
  if (running.value) return;
  running.value = true;
  problem.value = '';
  try {
    const found = await diagnose();
    findings.value = found.toSorted((a, b) => WORST_FIRST.indexOf(a.level) - WORST_FIRST.indexOf(b.level));
  } catch (error) {
    problem.value = problemOf(error);
  } finally {
    running.value = false;
  }
}

export function CheckPanel() {
  const hasStarted = inference.value !== undefined || startError.value !== undefined;
  useEffect(() => {
    if (hasStarted) void check();
  }, [hasStarted]);
  return (
    <div class="tool checks">
      <header class="row">
        <h2>Check</h2>
        <span class="push" />
        <button type="button" class="small" disabled={running.value} onClick={() => void check()}>
          Check again
        </button>
      </header>
      <p class="quiet">
        The results of <code>diagnose()</code> for this page. To check your own page, run{' '}
        <code>npx inpage doctor URL</code>.
      </p>
      <Problem message={problem.value} />
      {findings.value ? (
        <ul class="catalog" aria-label="Findings" aria-busy={running.value}>
          {findings.value.map((finding, index) => (
            <FindingView key={index} finding={finding} />
          ))}
        </ul>
      ) : (
        <p class="waiting" role="status" aria-label="checking" />
      )}
      <DeviceSpeed />
    </div>
  );
}

function FindingView({ finding: { check: name, level, message, fix } }: { finding: Finding }) {
  return (
    <li data-level={level}>
      <span class="dot" aria-hidden="true" />
      <div>
        <b>{name}</b> <span class="quiet">{LEVELS[level]}</span>
        <p>
          <InlineCode text={message} />
        </p>
        {fix ? (
          <p class="fix">
            <InlineCode text={fix} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
