import { afterEach, describe, expect, it, vi } from 'vitest';
import { fasterBuild, isFasterByRow, type Probe } from '../../../src/engines/gguf/choose-build.js';

/** A program whose calls last so many milliseconds. */
function choice(fours: number, twos: number, isRight: () => boolean = () => true, step = 0.1): string {
  return choiceOf(
    () => fours,
    () => twos,
    isRight,
    step,
  );
}

/** A program whose calls last so many milliseconds each time. */
function choiceOf(fours: () => number, twos: () => number, isRight: () => boolean = () => true, step = 0.1): string {
  let time = 0;
  const program: Probe = {
    isRight: () => Number(isRight()),
    isFused: () => 1,
    fours: () => (time += fours()),
    twos: () => (time += twos()),
  };
  return fasterBuild(program, () => Math.floor(time / step) * step);
}

describe('isFasterByRow', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['Node 20', { versions: { v8: '11.3.244.8-node.33' } }, true],
    ['Node 22', { versions: { v8: '12.4.254.21-node.35' } }, true],
    ['Node 24', { versions: { v8: '13.6.233.17-node.48' } }, false],
    ['a browser', undefined, false],
  ])('%s', (_, process, isFaster) => {
    vi.stubGlobal('process', process);
    expect(isFasterByRow()).toBe(isFaster);
  });
});

describe('fasterBuild', () => {
  it('takes the build whose products are faster', () => {
    expect(choice(0.01, 0.02)).toBe('relaxed');
    expect(choice(0.02, 0.01)).toBe('pairs');
  });

  it('sees the difference with a clock of coarse steps', () => {
    expect(choice(0.01, 0.013, undefined, 1)).toBe('relaxed');
    expect(choice(0.013, 0.01, undefined, 1)).toBe('pairs');
  });

  it('is not misled by another program that takes the processor for a while', () => {
    let calls = 0;
    // Once, a call of the faster one lasts as long as hundreds.
    const interrupted = (): number => (++calls === 20 ? 5 : 0.01);
    expect(choiceOf(() => 0.013, interrupted)).toBe('pairs');
  });

  it('is not misled by a program that the browser optimizes later', () => {
    let calls = 0;
    // As fast as the other one at first, and then three times as fast.
    const optimized = (): number => (++calls < 500 ? 0.013 : 0.005);
    expect(choiceOf(optimized, () => 0.01)).toBe('relaxed');
    calls = 0;
    expect(choiceOf(() => 0.01, optimized)).toBe('pairs');
  });

  it('takes no relaxed instructions that are wrong, at once or once the browser optimized them', () => {
    expect(choice(0.01, 0.02, () => false)).toBe('plain');
    let asked = 0;
    expect(choice(0.01, 0.02, () => ++asked === 1)).toBe('plain');
  });
});
