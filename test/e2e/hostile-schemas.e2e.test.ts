/** Hostile requests of one tab while another one works with the same engine. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_SCHEMAS } from '../constraints/support/hostile-schemas.js';
import { ask, countingModel, newContext, openHost } from './support/host-page.js';
import { launchChromium } from './support/launch-chromium.js';

describe('hostile schemas in one tab', () => {
  let browser: Browser;
  let context: BrowserContext;
  let hostile: Page;
  let other: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    context = await newContext(browser);
    const options = { models: [countingModel(3, 0)] };
    hostile = await openHost(context, options);
    other = await openHost(context, options);
  });
  afterAll(() => browser.close());

  /** Status and param of the answer to a tool with these parameters. */
  const offer = (parameters: unknown): Promise<{ status: number; param: string | undefined }> =>
    hostile.evaluate(async (schema) => {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'counting',
          messages: [{ role: 'user', content: 'Hi' }],
          tools: [{ type: 'function', function: { name: 'tool', parameters: schema } }],
        }),
      });
      const body = (await response.json()) as { error?: { param?: string }; error_param?: string };
      return { status: response.status, param: body.error?.param ?? body.error_param };
    }, parameters);

  it('are each answered, and the other tab is served meanwhile', async () => {
    const schemas = HOSTILE_SCHEMAS.filter(([, schema]) => typeof schema === 'object' && schema !== null);
    expect(schemas.length).toBeGreaterThanOrEqual(60);
    const answers: [string, number, boolean][] = [];
    let served = 0;
    for (const [name, schema] of schemas) {
      const [answer, meanwhile] = await Promise.all([offer(schema), ask(other, 'counting')]);
      expect([name, meanwhile.status]).toEqual([name, 200]);
      served += 1;
      const isNamed = answer.status === 200 || answer.param?.startsWith('tools.0.function.parameters') === true;
      answers.push([name, answer.status, isNamed]);
    }
    expect(served).toBe(schemas.length);
    expect(answers.filter(([, status, isNamed]) => ![200, 400, 422].includes(status) || !isNamed)).toEqual([]);
  });
});
