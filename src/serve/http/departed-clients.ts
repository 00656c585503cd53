/**
 * Finds clients that have left. A connection that a client has closed looks like one of which it has closed its half only: both
 * send an end. What is written to the first meets a reset, so that the next write fails; the second takes it. So both are
 * written to, now and then, until they are answered: something that means nothing.
 * @module
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds between two such writes. */
const ASKING_MS = 300;

/** What means nothing between two pieces of a stream: a comment of an event stream, a blank before a line of JSON. */
const FILLERS: Readonly<Record<string, string>> = { 'text/event-stream': ':\n\n', 'application/x-ndjson': ' ' };

const fillers = new WeakMap<ServerResponse, string>();

/** Notes that an answer is sent in whole events or lines, with others between them allowed. */
export function noteStream(response: ServerResponse, contentType: string | null): void {
  const [type = ''] = (contentType ?? '').split(';', 1);
  const filler = FILLERS[type.trim()];
  if (filler !== undefined) fillers.set(response, filler);
}

/** See the module. */
export class DepartedClients {
  readonly #isHeld: (socket: Socket) => boolean;
  readonly #answering = new Map<Socket, ServerResponse>();
  readonly #ended = new WeakSet<Socket>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param isHeld nothing is read of this connection now, so that its end would not be seen */
  constructor(isHeld: (socket: Socket) => boolean) {
    this.#isHeld = isHeld;
  }

  watch(socket: Socket): void {
    socket.once('end', () => {
      this.#ended.add(socket);
      const response = this.#answering.get(socket);
      if (response) ask(response);
    });
  }

  /** Its request is at work from now on. */
  begin(response: ServerResponse, socket: Socket): void {
    this.#answering.set(socket, response);
    if (this.#ended.has(socket)) ask(response);
    this.#timer ??= setInterval(() => this.#askAll(), ASKING_MS).unref();
    response.once('close', () => {
      if (this.#answering.get(socket) === response) this.#answering.delete(socket);
      if (this.#answering.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /**
   * Those from which nothing more comes, or of whom nothing is read. No others: a client that sends its body, and is not read as
   * fast, may take an unasked `100 Continue` for an error, as undici does.
   */
  #askAll(): void {
    for (const [socket, response] of this.#answering)
      if (this.#ended.has(socket) || this.#isHeld(socket)) ask(response);
  }
}

function ask(response: ServerResponse): void {
  // What waits to be written says as much.
  if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
  const filler = fillers.get(response);
  if (response.headersSent) {
    if (filler !== undefined) response.write(filler);
  } else if (response.req.httpVersion !== '1.0') response.writeContinue();
}
