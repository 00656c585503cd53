/** Requests that are drawn from the document, and mistakes in them: the service does what the document says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { ResponseStorage } from '../../../src/service/response-storage.js';
import { buildApp } from '../../support/build-app.js';
import { rounds } from '../../support/rounds.js';
import { seededRandom } from '../../language/constraints/support/walk.js';
import { type Answer, get, post } from './support/call.js';
import { drawValue, pick, withMistake } from './support/draw-value.js';
import { ALL_TASKS } from './support/models.js';

/** What no JSON Schema can say, by the message; schemathesis reads the same. */
const UNSAYABLE: Record<string, string[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'support/unsayable-refusals.json'), 'utf8'),
);
const REASONS = Object.values(UNSAYABLE)
  .flat()
  .map((reason) => new RegExp(`^(?:${reason})$`, 'su'));

const messageOf = ({ error }: { error: string | { message: string } }): string =>
  typeof error === 'string' ? error : error.message;

/** What a body asks for by its name. */
function namedIn(body: unknown): string {
  const { model, conversation, file_ids: files } = (body ?? {}) as Record<string, unknown>;
  return JSON.stringify([model, conversation, files]);
}

/** Each body with whether it conforms. */
function* bodiesOf(schema: any, example: any, json: any, count: number): Generator<[unknown, boolean]> {
  const { schemas } = json.components;
  const validator = new Validator({ ...schema, components: { schemas } }, '2020-12');
  const random = seededRandom(5);
  const fields = Object.entries<any>(schema.properties).filter(([name]) => name !== 'model' && name !== 'name');
  for (let index = 0; index < count; index += 1) {
    const body = { ...example };
    for (let drawn = 0; drawn < 1 + (index % 4); drawn += 1) {
      const [name, property] = pick(fields, random);
      body[name] = drawValue(property, { random, schemas });
    }
    const sent = random() < 0.4 ? withMistake(body, random) : body;
    yield [sent, validator.validate(sent).valid];
  }
}

describe.each(['service', 'hosted'] as const)('requests of the document of %s', (mode) => {
  it('[X29] are accepted and refused as it says, with answers as it says', async () => {
    const rateLimits = { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000 };
    const chat = { replies: [{ text: '{"animal":"fox","legs":4}' }] };
    const models = ALL_TASKS.map((entry) => (entry.task === 'chat' ? { ...entry, script: chat } : entry));
    const kept = new ResponseStorage('memory', { now: Date.now, service: '/v1' });
    const { app } = await buildApp({ models, compatibility: mode, rateLimits, ...kept.optionsFor(mode) });
    const { json } = await get(app, '/v1/openapi.json');
    const undescribed = describer(json);
    const differences: unknown[] = [];
    let valid = 0;
    let invalid = 0;
    for (const [path, { post: operation }] of Object.entries<any>(json.paths)) {
      const content = operation?.requestBody?.content['application/json'];
      if (!content || path.includes('{')) continue;
      const { schema, example = {} } = content;
      for (const [body, isValid] of bodiesOf(schema, example, json, rounds(12, 100))) {
        const answer = await post(app, `/v1${path}`, body);
        const { status } = answer;
        if (isValid) valid += 1;
        else invalid += 1;
        const isRefused = status === 400 && (!isValid || REASONS.some((reason) => reason.test(messageOf(answer.json))));
        const isUnknown = status === 404 && namedIn(body) !== namedIn(example);
        const isExplained = status === 200 ? isValid : isRefused || isUnknown;
        if (!isExplained) differences.push([path, body, isValid, status, answer.text.slice(0, 300)]);
        differences.push(...undescribed(operation, answer).map((error) => [path, body, status, error]));
      }
    }
    expect(differences).toEqual([]);
    expect(valid).toBeGreaterThan(100);
    expect(invalid).toBeGreaterThan(50);
  });
});

/** Tells what the document does not say of an answer. */
function describer(json: any): (operation: any, answer: Answer) => unknown[] {
  const { schemas } = json.components;
  const validators = new Map<object, Validator>();
  return (operation, { status, headers, json: body, text }) => {
    const type = headers.get('content-type')!.split(';')[0]!;
    const { schema } = operation.responses[status]?.content[type] ?? {};
    if (!schema) return [`no ${type}`];
    if (type !== 'application/json') return [];
    const validator = validators.get(schema) ?? new Validator({ ...schema, components: { schemas } }, '2020-12');
    validators.set(schema, validator);
    const { valid, errors } = validator.validate(body);
    return valid ? [] : [text.slice(0, 300), errors.at(-1)];
  };
}
