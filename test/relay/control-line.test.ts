import { afterEach, describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import { type Ask, type LineEnd, move, openControlLine } from '../../src/relay/control/control-line.js';

interface Questions {
  double(value: number): number;
  fails(value: InferenceError['code']): Promise<never>;
  port(value: MessagePort): { port: MessagePort };
}

const ports: MessagePort[] = [];
afterEach(() => ports.splice(0).forEach((port) => port.close()));

/** Both ends of a line, each asking the other. */
function line(): [Ask<Questions>, Ask<Questions>] {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const mine: Questions = {
    double: (value) => 2 * value,
    fails: (code) => Promise.reject(new InferenceError(code, 'It fails.', { retryAfter: 3 })),
    port: (port) => move({ port }, [port]),
  };
  return [openControlLine(port1 as unknown as LineEnd, mine), openControlLine(port2 as unknown as LineEnd, mine)];
}

describe('a control line', () => {
  it('brings every answer to its question, in both directions at once', async () => {
    const [here, there] = line();
    const answers = await Promise.all([here('double', 1), there('double', 2), here('double', 3), there('double', 4)]);
    expect(answers).toEqual([2, 4, 6, 8]);
  });

  it('carries the error of the other end', async () => {
    const [here] = line();
    await expect(here('fails', 'unavailable')).rejects.toMatchObject({
      code: 'unavailable',
      details: { retryAfter: 3 },
    });
  });

  it('moves what cannot be copied, there and back', async () => {
    const [here] = line();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1);
    const { port } = await here('port', move(port2, [port2]));
    ports.push(port);
    const heard = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
    port.postMessage('still the other end');
    expect(await heard).toBe('still the other end');
  });
});
