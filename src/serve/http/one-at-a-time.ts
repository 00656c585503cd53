/** Of each connection one request is at work at a time, however many its client has sent ahead. @module */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that are read ahead, as far as its socket can stop: beyond it their bytes wait at the client. */
const MAX_AHEAD = 256;

interface Turns {
  waiting: [request: IncomingMessage, response: ServerResponse][];
  isBusy: boolean;
}

/** See {@link oneAtATime}. */
interface OneAtATime {
  listener: RequestListener;
  /** Requests wait for their turn, and nothing more is read until then: an end or a reset would not be seen. */
  isHeld: (socket: Socket) => boolean;
}

/**
 * The listener is called for a request when those before it on its connection were answered, and never for one whose
 * connection has gone.
 */
export function oneAtATime(listener: RequestListener): OneAtATime {
  const connections = new WeakMap<Socket, Turns>();

  function begin(request: IncomingMessage, response: ServerResponse, turns: Turns): void {
    turns.isBusy = true;
    response.once('close', () => next(request.socket, turns));
    listener(request, response);
  }

  function next(socket: Socket, turns: Turns): void {
    turns.isBusy = false;
    if (socket.destroyed || socket.writableEnded) turns.waiting = [];
    const first = turns.waiting.shift();
    if (first) begin(...first, turns);
    else if (socket.isPaused()) socket.resume();
  }

  const take: RequestListener = (request, response) => {
    const { socket } = request;
    let turns = connections.get(socket);
    if (!turns) connections.set(socket, (turns = { waiting: [], isBusy: false }));
    if (!turns.isBusy) return begin(request, response, turns);
    turns.waiting.push([request, response]);
    // Node reads on behind each head that is complete, so this comes after all that have come.
    if (turns.waiting.length > MAX_AHEAD && !socket.isPaused())
      setImmediate(() => turns.waiting.length > MAX_AHEAD && socket.pause());
  };
  return {
    listener: take,
    isHeld: (socket) => socket.isPaused() && (connections.get(socket)?.waiting.length ?? 0) > 0,
  };
}
