/** Where a client finds the service; without an address it takes its own. */
interface Service {
  baseURL?: string;
  /** Ollama's client calls it so. */
  host?: string;
  fetch: typeof fetch;
}

/** Of each task `true`, or what came instead. */
export function outcomes(
  client: 'ai' | 'ollama' | 'openai',
  service: Service,
  tasks: readonly string[],
): Promise<Record<string, true | string>>;
