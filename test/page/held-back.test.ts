/** A page that the browser prerenders: nothing of it runs before somebody looks at it. */
import { afterEach, expect, it, vi } from 'vitest';
import { startInference } from '../../src/page/start-inference.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('starts when it is shown, however late, and says so', async () => {
  vi.useFakeTimers();
  const told = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const page = Object.assign(new EventTarget(), { prerendering: true, baseURI: 'http://localhost/' });
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { href: 'http://localhost/', origin: 'http://localhost', protocol: 'http:' });
  let outcome: unknown;
  void startInference({ prefix: 'wrong' }).catch((thrown: unknown) => (outcome = thrown));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(outcome).toBeUndefined();
  expect(told).toHaveBeenCalledWith(expect.stringMatching(/prerendered.*when it is shown/));
  vi.useRealTimers();
  page.prerendering = false;
  page.dispatchEvent(new Event('prerenderingchange'));
  // From here on it is as any start: the option is wrong.
  await expect.poll(() => outcome).toMatchObject({ code: 'invalid_request', details: { param: 'prefix' } });
});
