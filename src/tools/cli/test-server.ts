/** `inpage test-server`. @module */
import { isInferenceError } from '../../core/errors/inference-error.js';
import type { TestServerOptions } from '../../testing/test-server/test-server-types.js';
import { type Command, UsageError } from './command.js';
import { print } from './print.js';
import { closeOnSignal, readCompatibility, readPort, readConfig } from './server-arguments.js';
import { serve } from './serve.js';

const A_LONG_TIME_MS = 2 ** 30;

/** Serves until the process is told to end. */
export const testServer: Command = {
  summary:
    'Serves the test server of `inpage/test-server`, for tests in other languages: scripted models, fixed ids and a fixed clock. Without `models`, every model name is answered. Ends when the program that started it ends.',
  usage: ['test-server [--port N] [--config FILE] [--compatibility NAME]'],
  options: {
    port: { type: 'string', value: 'N', help: 'TCP port of the loopback interface. Default: 0, any free one' },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'JSON with options of `startTestServer`, or a recording: models, prefix, apiKeys, …',
    },
    compatibility: serve.options['compatibility']!,
  },
  examples: ['npx inpage test-server --port 8089 --config replies.json'],
  async run(words, { port, config, compatibility: name }) {
    if (words.length > 0) throw new UsageError(`\`inpage test-server\` accepts options only, not \`${words[0]}\`.`);
    const [asked, compatibility] = [readPort(port), readCompatibility(name)];
    const configured: TestServerOptions = typeof config === 'string' ? readConfig(config) : {};
    // Few commands need it.
    const { startTestServer } = await import('../../testing/test-server/start-test-server.js');
    const options: TestServerOptions = {
      ...configured,
      ...(compatibility !== undefined && { compatibility }),
      ...(asked !== undefined && { port: asked }),
    };
    const server = await startTestServer(options).catch((thrown: unknown) => {
      // Only the file can have said a wrong option.
      if (isInferenceError(thrown)) throw new Error(`${String(config)}: ${thrown.message}`);
      throw thrown;
    });
    // A test server alone keeps no process alive.
    const alive = setInterval(() => {}, A_LONG_TIME_MS);
    closeOnSignal({
      close() {
        clearInterval(alive);
        return server.close();
      },
    });
    print(`inpage: test server at ${server.baseURL}\n`);
    for (const [variable, value] of Object.entries(server.env)) print(`${variable}=${value}\n`);
  },
};
