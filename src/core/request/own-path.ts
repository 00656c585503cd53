/** Below the prefix: answered with 204, without a key. A page asks for it to learn whether its requests reach the gateway. */
export const OWN_PATH = '/.inpage';

/** What programs expect at the root of a server of Ollama's. */
export const OLLAMA_GREETING = 'Ollama is running';
