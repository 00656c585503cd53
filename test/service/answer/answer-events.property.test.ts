import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CollectedChoice } from '../../../src/service/answer/collect-generation.js';
import type { GenerationEvent } from '../../../src/service/answer/generation-event.js';
import type { ReasoningFormat, ToolFormat } from '../../../src/core/models/answer-formats.js';
import { HARMONY_FRAGMENTS } from '../../fixtures/channels/harmony.js';
import { HERMES_FRAGMENTS } from '../../fixtures/channels/hermes.js';
import { LLAMA3_FRAGMENTS } from '../../fixtures/channels/llama3.js';
import { MISTRAL_FRAGMENTS } from '../../fixtures/channels/mistral.js';
import { PYTHONIC_FRAGMENTS } from '../../fixtures/channels/pythonic.js';
import { THINK_FRAGMENTS } from '../../fixtures/channels/think-tags.js';
import { collectAnswer, interpret as interpretBatches } from '../../support/token-events.js';
import { end, PROMPT, request, source, token, type Written } from './token-source.js';
import { rounds } from '../../support/rounds.js';

const fragments = [
  HERMES_FRAGMENTS,
  LLAMA3_FRAGMENTS,
  MISTRAL_FRAGMENTS,
  PYTHONIC_FRAGMENTS,
  HARMONY_FRAGMENTS,
  THINK_FRAGMENTS,
];
const piece = fc.oneof(...fragments.map((list) => fc.constantFrom(...list)), fc.string({ maxLength: 4 }));
const output = fc.record({
  pieces: fc.array(piece, { maxLength: 16 }),
  reason: fc.constantFrom('stop' as const, 'length' as const),
});
const generation = fc.record({
  outputs: fc.array(output, { minLength: 1, maxLength: 3 }),
  toolFormat: fc.constantFrom<ToolFormat>('hermes', 'llama3', 'mistral', 'pythonic', 'none'),
  reasoningFormat: fc.constantFrom<ReasoningFormat>('think-tags', 'harmony', 'none'),
  reasoningOpen: fc.boolean(),
  parallelToolCalls: fc.boolean(),
  order: fc.array(fc.nat(2), { maxLength: 60 }),
});
type Generation = typeof generation extends fc.Arbitrary<infer Value> ? Value : never;

/** The choices' tokens, shuffled into one another. */
function tokensOf({ outputs, order, ...formats }: Generation): Written[] {
  const queues = outputs.map(({ pieces, reason }, choice): Written[] => [
    ...pieces.map((text) => token(text, choice)),
    end(choice, { reason }),
  ]);
  const shuffled = order.flatMap((choice) => queues[choice % queues.length]!.splice(0, 1));
  const { toolFormat, reasoningFormat, reasoningOpen } = formats;
  return [{ ...PROMPT, toolFormat, reasoningFormat, reasoningOpen }, ...shuffled, ...queues.flat()];
}

async function interpret(given: Generation): Promise<GenerationEvent[]> {
  const asked = request({ n: given.outputs.length, parallelToolCalls: given.parallelToolCalls });
  let count = 0;
  const options = { clock: () => 5, createId: () => `id-${count++}`, startTime: 1 };
  const events: GenerationEvent[] = [];
  for await (const event of interpretBatches(source(tokensOf(given), asked), asked, options)) events.push(event);
  return events;
}

/** What is wrong with the blocks: opened, filled or closed out of turn. Empty when nothing is. */
function pairingFaults(events: readonly GenerationEvent[]): string[] {
  const faults: string[] = [];
  const open = new Map<number, string>();
  const finished = new Set<number>();
  const ids = new Set<string>();
  for (const event of events) {
    if (event.type === 'start' || event.type === 'finish') continue;
    const current = open.get(event.choice);
    const fault = (what: string): unknown => faults.push(`${event.type} of choice ${event.choice}: ${what}`);
    if (finished.has(event.choice)) fault('after its finish');
    if (event.type === 'choice-finish') {
      if (current) fault(`${current} is open`);
      finished.add(event.choice);
      continue;
    }
    const kind = event.type.replace(/-(start|delta|end)$/, '') + ('index' in event ? event.index : '');
    const begins = event.type.endsWith('-start');
    if (current !== (begins ? undefined : kind)) fault(`${current} is open`);
    if (begins) open.set(event.choice, kind);
    else if (event.type.endsWith('-end')) open.delete(event.choice);
    if (event.type !== 'tool-call-start') continue;
    if (ids.has(event.id)) fault('its id was used before');
    ids.add(event.id);
  }
  return faults;
}

/** What is wrong with a collected choice, given all that the model wrote. */
function choiceFaults(choice: CollectedChoice, written: string): string[] {
  const faults: string[] = [];
  if (!isSubsequence(choice.text.replace(/\s/g, ''), written)) faults.push('text was invented');
  if (!isSubsequence((choice.reasoning ?? '').replace(/\s/g, ''), written)) faults.push('reasoning was invented');
  if (!choice.failure && choice.toolCalls.some((call) => !isJson(call.arguments))) faults.push('arguments are no JSON');
  if (choice.failure && choice.failure.rawOutput !== written) faults.push('the raw output is not what was written');
  if (choice.reason === 'tool-calls' && choice.toolCalls.length === 0) faults.push('no call came');
  return faults;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function* replay(events: readonly GenerationEvent[]): AsyncGenerator<GenerationEvent> {
  yield* events;
}

describe('AnswerEvents, whatever the model writes', () => {
  it('pairs its blocks, starts and finishes once, and numbers calls from 0', async () => {
    await fc.assert(
      fc.asyncProperty(generation, async (given) => {
        const events = await interpret(given);
        expect(events[0]!.type).toBe('start');
        expect(events.at(-1)!.type).toBe('finish');
        expect(events.filter((event) => event.type === 'choice-finish')).toHaveLength(given.outputs.length);
        expect(pairingFaults(events)).toEqual([]);
        for (const choice of given.outputs.keys()) {
          const calls = events.filter((event) => event.type === 'tool-call-start' && event.choice === choice);
          expect(calls.map((event) => 'index' in event && event.index)).toEqual([...calls.keys()]);
          expect(calls.length).toBeLessThan(given.parallelToolCalls ? Infinity : 2);
        }
      }),
      { numRuns: rounds(500, 1500) },
    );
  });

  it('counts every token, and never says more than the model wrote', async () => {
    await fc.assert(
      fc.asyncProperty(generation, async (given) => {
        const { choices, usage } = await collectAnswer(replay(await interpret(given)));
        const written = given.outputs.map(({ pieces }) => pieces.join(''));
        expect(choices.map((choice) => choice.completionTokens)).toEqual(
          given.outputs.map(({ pieces }) => pieces.length),
        );
        expect(usage.completionTokens).toBe(given.outputs.flatMap(({ pieces }) => pieces).length);
        expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens);
        expect(choices.flatMap((choice, index) => choiceFaults(choice, written[index]!))).toEqual([]);
      }),
      { numRuns: rounds(500, 1500) },
    );
  });

  it('says everything when the model has no markup', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 5 }), { maxLength: 20 }), async (pieces) => {
        const outputs = [{ pieces, reason: 'stop' as const }];
        const given = { outputs, toolFormat: 'none', reasoningFormat: 'none', reasoningOpen: false } as const;
        const events = await interpret({ ...given, parallelToolCalls: true, order: [] });
        const { choices } = await collectAnswer(replay(events));
        expect(choices[0]!.text).toBe(pieces.join(''));
      }),
    );
  });
});

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (character === short[at]) at += 1;
  return at >= short.length;
}
