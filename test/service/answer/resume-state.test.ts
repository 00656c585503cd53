import { describe, expect, it } from 'vitest';
import { ResumeState } from '../../../src/service/answer/resume-state.js';

const chunk = (): Uint8Array => new Uint8Array(1);

describe('the checkpoint of a chunk', () => {
  it('is found by the chunk itself, in whatever order chunks are read', () => {
    const state = new ResumeState();
    const [first, second] = [chunk(), chunk()];
    state.replay('id', () => 'a');
    state.addChunk(first, { events: 1, keepAlives: 0 });
    state.replay('id', () => 'b');
    state.addChunk(second, { events: 2, keepAlives: 1 });
    expect(state.checkpointOf(second)).toEqual({ events: 2, keepAlives: 1, values: [['id', 'b']], tokens: [] });
    expect(state.checkpointOf(first)).toEqual({ events: 1, keepAlives: 0, values: [['id', 'a']], tokens: [] });
  });

  it('is not another’s: a chunk that was made elsewhere has none', () => {
    const state = new ResumeState();
    state.addChunk(chunk(), { events: 1, keepAlives: 0 });
    expect(state.checkpointOf(chunk())).toBeUndefined();
  });

  it('does not exist once the answer cannot be resumed', () => {
    const state = new ResumeState();
    state.beginGeneration(1).markUnresumable();
    const last = chunk();
    state.addChunk(last, { events: 1, keepAlives: 0 });
    expect(state.checkpointOf(last)).toBeUndefined();
  });
});
