import { expect, it } from 'vitest';
import { buildApp } from '../support/build-app.js';
import { answersOfAllDialects, chatMl } from './scenarios/same-answer.js';
import { CHAT, SCENARIO_MODELS, TEXT } from './scenarios/scenario.js';

it('the same conversation has the same answer through all four dialects', async () => {
  const { app } = await buildApp({ models: SCENARIO_MODELS });
  const connection = { baseURL: 'http://localhost/v1', fetch: async (url: any, init: any) => app.request(url, init) };
  const [system, user] = ['Be kind.', 'Hello'];
  for (const [maxTokens, text] of [
    [100, TEXT],
    [4, 'The quick brown fox'],
  ] as const) {
    const question = { model: CHAT, system, user, rawPrompt: chatMl(system, user), maxTokens };
    const answers = await answersOfAllDialects(connection, question);
    expect(Object.keys(answers)).toHaveLength(4);
    for (const answer of Object.values(answers)) {
      expect(answer).toEqual(answers['chat']);
      expect(answer.text).toBe(text);
    }
  }
});
