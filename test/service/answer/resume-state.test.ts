import { describe, expect, it } from 'vitest';
import { ResumeState } from '../../../src/service/answer/resume-state.js';

describe('the checkpoint of a chunk', () => {
  it('holds what came by chance since the chunk before', () => {
    const state = new ResumeState();
    state.replay('id', () => 'a');
    expect(state.nextCheckpoint({ events: 1, keepAlives: 0 })).toEqual({
      events: 1,
      keepAlives: 0,
      values: [['id', 'a']],
      tokens: [],
    });
    state.replay('id', () => 'b');
    expect(state.nextCheckpoint({ events: 2, keepAlives: 1 })).toEqual({
      events: 2,
      keepAlives: 1,
      values: [['id', 'b']],
      tokens: [],
    });
  });

  it('does not exist once the answer cannot be resumed', () => {
    const state = new ResumeState();
    state.beginGeneration(1).markUnresumable();
    expect(state.nextCheckpoint({ events: 1, keepAlives: 0 })).toBeUndefined();
  });
});
