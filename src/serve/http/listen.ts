/** Opens a port on the loopback interface. @module */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Why a port cannot be had. */
const REFUSALS: Record<string, string> = {
  EADDRINUSE: 'is taken.',
  EACCES: 'is reserved for programs with more rights.',
};

/** Connections that wait to be accepted: clients open a thousand at once. */
const BACKLOG = 4_096;

/**
 * @param host address of the interface
 * @returns the port
 * @throws Error that names the port and says what to do
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = REFUSALS[error.code ?? ''];
      const hint = 'Choose another with `--port` (`port`), or 0 for any that is free.';
      reject(what === undefined ? error : new Error(`Port ${port} ${what} ${hint}`, { cause: error }));
    });
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return (server.address() as AddressInfo).port;
}
