/** Fixtures for Playwright's test runner. @module */
import type { Fixtures, PlaywrightTestArgs, PlaywrightTestOptions } from 'playwright/test';
import { addToRecording } from '../../serve/recording/recording-file.js';
import { entryLines, unmatchedMessage } from '../test-server/unmatched-message.js';
import { blockedMessage } from './guard-hosts.js';
import type { UnmatchedRequest } from './misses.js';
import { type InstalledInference, installInference, type InstallOptions } from './install-inference.js';

/** What {@link inferenceFixtures} adds to a test. */
export interface InferenceFixtures {
  /**
   * Set it by `test.use({ inferenceOptions })`. `origin` defaults to that of `use.baseURL`. With `record: true` each test
   * adds the answers of its models to a file beside it: `chat.spec.replies.json` beside `chat.spec.ts`.
   */
  inferenceOptions: Partial<InstallOptions>;
  /** The service; it is installed before every test, also where a test does not name it. */
  inference: InstalledInference;
}

/**
 * For `base.extend<InferenceFixtures>(inferenceFixtures)`.
 * @example
 * test.use({
 *   inferenceOptions: {
 *     intercept: ['https://api.openai.com/v1'],
 *     models: [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello!' }] } }],
 *   },
 * });
 * test('greets', async ({ page, inference }) => {
 *   await page.goto('/');
 *   await page.getByRole('button', { name: 'Ask' }).click();
 *   await expect(page.getByText('Hello!')).toBeVisible();
 *   expect(inference.requests[0]?.postDataJSON()).toMatchObject({ model: 'gpt-5' });
 * });
 */
export const inferenceFixtures: Fixtures<InferenceFixtures, object, PlaywrightTestArgs & PlaywrightTestOptions> = {
  inferenceOptions: [{}, { option: true }],
  inference: [
    async ({ context, baseURL, inferenceOptions }, use, { file }) => {
      const origin = inferenceOptions.origin ?? baseURL;
      if (origin === undefined) {
        throw new Error(
          'inpage/playwright: set `use.baseURL` or `inferenceOptions.origin` to where the app is served.',
        );
      }
      const inference = await installInference(context, { ...inferenceOptions, origin });
      await use(inference);
      if (inferenceOptions.record) addToRecording(recordingPath(file), await inference.recorded());
      const asked = entryLines(inference.server?.unmatched ?? []);
      await inference.stop();
      const unmatched = [...inference.unmatched.map(requestLine), ...asked];
      const problems = [
        ...(inference.blocked.length > 0 ? [blockedMessage(inference.blocked)] : []),
        ...(unmatched.length > 0 ? [unmatchedMessage(unmatched)] : []),
      ];
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    { auto: true },
  ],
};

function requestLine({ request, message }: UnmatchedRequest): string {
  return `${request.method()} ${new URL(request.url()).pathname}: ${message}`;
}

/** Of a test's file: `chat.spec.replies.json` beside `chat.spec.ts`. */
function recordingPath(testFile: string): string {
  return testFile.replace(/\.[cm]?[jt]sx?$/, '.replies.json');
}
