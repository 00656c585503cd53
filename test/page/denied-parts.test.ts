/** A browser, or a tool in it, denies a part of the platform that a start needs. */
import { afterEach, expect, it, vi } from 'vitest';
import { startInference } from '../../src/page/start-inference.js';

afterEach(() => vi.unstubAllGlobals());

it('what is denied ends a start with an error of the library, which says what it was', async () => {
  const denied = new DOMException('The operation is insecure.', 'SecurityError');
  vi.stubGlobal('document', Object.assign(new EventTarget(), { baseURI: 'http://localhost/' }));
  vi.stubGlobal('location', { href: 'http://localhost/', origin: 'http://localhost', protocol: 'http:' });
  const addEventListener = (): never => {
    throw denied;
  };
  vi.stubGlobal('navigator', { serviceWorker: { addEventListener } });
  await expect(startInference()).rejects.toMatchObject({
    name: 'InferenceError',
    code: 'unavailable',
    message: expect.stringContaining('The operation is insecure.') as string,
    cause: denied,
  });
});
