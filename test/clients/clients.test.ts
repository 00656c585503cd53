import { expect, it } from 'vitest';
import { buildApp } from '../support/build-app.js';
import { SCENARIOS } from './scenarios/index.js';
import { type Connection, SCENARIO_MODELS } from './scenarios/scenario.js';

async function connect(): Promise<Connection> {
  const { app } = await buildApp({ models: SCENARIO_MODELS });
  return {
    baseURL: 'http://localhost/v1',
    fetch: async (input, init) => app.request(input instanceof URL ? input.href : input, init),
  };
}

it.each(SCENARIOS)('$name', async ({ run, expected }) => {
  // Primitive results are wrapped, since toMatchObject compares objects.
  expect({ result: await run(await connect()) }).toMatchObject({ result: expected });
});
