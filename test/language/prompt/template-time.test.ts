import { expect, it, onTestFinished, vi } from 'vitest';
import { ChatTemplate } from '../../../src/language/prompt/chat-template.js';

const again = (body: string): string => `{% for i in range(100000) %}${body}{% endfor %}`;
const LATE = /makes the model's chat template run for too long/;

/** A clock on which a second passes between two looks. */
function fastClock(): { looks: () => number } {
  let looks = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 1_000 * looks++);
  onTestFinished(() => clock.mockRestore());
  return { looks: () => looks };
}

it.each([
  ['sorts', again('{% set x = range(150000) | sort %}')],
  ['looks for what is not there', `{% set l = range(150000) %}${again('{% set x = -1 in l %}')}`],
  ['compares', `{% set l = range(150000) %}${again('{% set x = l == l %}')}`],
  ['splits', `{% set t = 'a ' * 200000 %}${again('{% set x = t.split() %}')}`],
  ['tests', `{% set t = 'a ' * 200000 %}${again('{% set x = t is in(t) %}')}`],
])('looks at the clock while a template %s again and again', (_, source) => {
  fastClock();
  expect(() => new ChatTemplate(source).render({ messages: [] })).toThrow(LATE);
});

it('gives a template that has no end its time once', () => {
  const { looks } = fastClock();
  const template = new ChatTemplate(again('{% set x = range(150000) | sort %}'));
  expect(() => template.render({ messages: [] })).toThrow(LATE);
  const before = looks();
  expect(() => template.render({ messages: ['more'] })).toThrow(LATE);
  expect(looks()).toBe(before);
});
