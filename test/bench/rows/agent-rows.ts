/** The prompt of a coding agent's second turn, rendered and in tokens, over the bare library's. */
import type { AgentOrder } from '../agent-worker.js';
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare } from '../bench-row.js';

export async function agentRows(): Promise<BenchRow[]> {
  const worker = new Worker(new URL('../agent-worker.ts', import.meta.url), { type: 'module' });
  let round = 0;
  const tokens: Partial<Record<AgentOrder['kind'], number>> = {};
  const measure = (kind: AgentOrder['kind']) => async (): Promise<number> => {
    round += 1;
    const order: AgentOrder = { kind, round };
    const { time, tokens: found } = await askWorker<{ time: number; tokens: number }>(worker, order);
    tokens[kind] = found;
    return time / 1000;
  };
  const name = 'agent: prompt of the second turn, 25 tools, over the bare library';
  const row = await compare({ name, goal: 0.5, unit: 's', lower: true }, measure('ours'), measure('bare'));
  worker.terminate();
  // A shorter prompt would prove nothing.
  if (tokens.ours! < tokens.bare! * 0.95 || tokens.ours! < 10_000)
    throw new Error(`Other prompts: ${JSON.stringify(tokens)}.`);
  return [row];
}
