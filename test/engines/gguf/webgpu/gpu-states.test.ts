/** States of sequences on a device whose buffers are bytes of this process. */
import { describe, expect, it } from 'vitest';
import type { ForwardShape, LayerShape } from '../../../../src/engines/gguf/forward-shape.js';
import { GpuMemory } from '../../../../src/engines/gguf/webgpu/gpu-memory.js';
import { GpuStates } from '../../../../src/engines/gguf/webgpu/gpu-states.js';
import { NONE } from '../../../../src/engines/gguf/webgpu/shaders/sizes.js';

/** Commands run when they are submitted, in their order. */
function byteDevice() {
  const counts = { copies: 0, buffers: 0 };
  type Bytes = { bytes: Uint8Array };
  const device = {
    queue: {
      submit: (commands: (() => void)[][]) => {
        for (const command of commands.flat()) command();
      },
      writeBuffer: (to: Bytes, at: number, data: ArrayBuffer, from: number, bytes: number) =>
        to.bytes.set(new Uint8Array(data, from, bytes), at),
    },
    createBuffer: ({ size }: { size: number }) => {
      counts.buffers += 1;
      // What nobody wrote is no zeros here.
      const bytes = new Uint8Array(size).fill(99);
      return {
        bytes,
        destroy: () => {},
        mapAsync: async () => {},
        getMappedRange: () => bytes.buffer,
        unmap: () => {},
      };
    },
    createCommandEncoder: () => {
      const commands: (() => void)[] = [];
      return {
        copyBufferToBuffer(from: Bytes, at: number, to: Bytes, place: number, bytes: number) {
          expect(from).not.toBe(to);
          counts.copies += 1;
          commands.push(() => to.bytes.set(from.bytes.subarray(at, at + bytes), place));
        },
        finish: () => commands,
      };
    },
  };
  return { device: device as unknown as GPUDevice, counts };
}

const layer = (mixer: NonNullable<LayerShape['mixer']>): LayerShape => ({ window: 0, rope: 'usual', mixer });
/** Two layers with states of 16 bytes. */
const SHAPE = {
  recurrent: {
    kind: 'convolution',
    taps: 3,
    channels: 2,
    heads: 0,
    headSize: 0,
    groups: 0,
    size: 0,
    sharesKeys: false,
  },
  layerShapes: [layer('recurrent'), layer('attention'), layer('recurrent')],
} as unknown as ForwardShape;
const BYTES = 32;

function open(limit = 2 ** 20) {
  const { device, counts } = byteDevice();
  const states = new GpuStates(new GpuMemory(device), SHAPE, limit);
  const filled = (value: number): number => {
    const slot = states.allocate();
    states.write(slot, new Uint8Array(BYTES).fill(value));
    return slot;
  };
  const valueOf = async (slot: number): Promise<number> => {
    const content = await states.read(slot);
    expect(content).toEqual(new Uint8Array(BYTES).fill(content[0]!));
    return content[0]!;
  };
  /** A pass that changes states. */
  const pass = (...slots: number[]): void => {
    for (const { to } of states.take(slots)) states.write(to, new Uint8Array(BYTES).fill(100 + to));
  };
  return { states, counts, filled, valueOf, pass };
}

describe('[W27] [W69] states on a GPU', () => {
  it('are zeros at first, and a pass is told so', async () => {
    const { states, counts, valueOf } = open();
    const slot = states.allocate();
    states.clear(slot);
    expect(await valueOf(slot)).toBe(0);
    expect(states.take([slot])).toEqual([{ from: NONE, to: slot }]);
    expect(states.take([slot])).toEqual([{ from: slot, to: slot }]);
    expect(counts.copies).toBe(0);
  });

  it('are copied by the pass that goes on with the copy, and by nothing else', async () => {
    const { states, counts, filled, valueOf } = open();
    const [one, two] = [filled(7), states.allocate()];
    states.copy(one, two);
    expect(await valueOf(two)).toBe(7);
    const before = counts.copies;
    expect(states.take([two])).toEqual([{ from: one, to: two }]);
    expect(states.take([two])).toEqual([{ from: two, to: two }]);
    expect(counts.copies).toBe(before);
    expect(await valueOf(one)).toBe(7);
  });

  it('are copied where the original changes first: in the same pass, a later one, or when it is another state', async () => {
    const { states, filled, valueOf, pass } = open();
    const original = filled(5);
    const [first, second, third, last] = [1, 2, 3, 4].map(() => states.allocate()) as [number, number, number, number];
    states.copy(original, first);
    states.copy(first, second);
    expect(states.take([original, second])).toEqual([
      { from: original, to: original },
      { from: second, to: second },
    ]);
    pass(original, second);
    expect(await valueOf(first)).toBe(5);
    states.copy(first, third);
    pass(first);
    expect(await valueOf(third)).toBe(5);
    states.copy(third, last);
    states.clear(third);
    expect([await valueOf(third), await valueOf(last)]).toEqual([0, 5]);
    states.copy(last, third);
    states.write(last, new Uint8Array(BYTES).fill(8));
    expect([await valueOf(third), await valueOf(last)]).toEqual([5, 8]);
  });

  it('move to larger buffers with what they have, until a binding is full', async () => {
    const { states, filled, valueOf } = open(16 * 6);
    let moved = 0;
    states.onMoved = () => (moved += 1);
    const slots = [1, 2, 3, 4, 5, 6].map(filled);
    expect(moved).toBe(1);
    expect(await Promise.all(slots.map(valueOf))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(() => states.allocate()).toThrow(expect.objectContaining({ code: 'insufficient_resources' }));
  });
});
