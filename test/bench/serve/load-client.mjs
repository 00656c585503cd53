/**
 * Asks a server as fast as it answers, in a process of its own: `node load-client.mjs PORT PATH BODY CONNECTIONS COUNT`.
 * Each connection asks again when it has its answer. Prints JSON: seconds, how many were answered with 200, how many with
 * another status, and how many not at all. Sockets and not `node:http`, so that the client takes little of the processor.
 */
import { connect } from 'node:net';

const [port, path, body, connections, count] = process.argv.slice(2);
const ask = Buffer.from(
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
const told = { seconds: 0, answered: 0, refused: 0, broken: 0, firstRefusal: '' };
let left = Number(count);

/** Bytes of the answer that stands at the beginning, or undefined while it is not whole. */
function lengthOf(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head)) ?? [];
  if (length !== undefined) return text.length >= head + 4 + Number(length) ? head + 4 + Number(length) : undefined;
  const end = text.indexOf('\r\n0\r\n\r\n', head + 2);
  return end === -1 ? undefined : end + 7;
}

function open() {
  return new Promise((resolve) => {
    let text = '';
    let isWaiting = false;
    const socket = connect(Number(port), '127.0.0.1');
    const next = () => {
      isWaiting = left > 0;
      if (!isWaiting) return socket.end();
      left -= 1;
      socket.write(ask);
    };
    socket.on('connect', next);
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const length = lengthOf(text);
      if (length === undefined) return;
      if (text.startsWith('HTTP/1.1 200 ')) told.answered += 1;
      else {
        told.refused += 1;
        told.firstRefusal ||= text.slice(0, 300);
      }
      text = text.slice(length);
      next();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isWaiting) told.broken += 1;
      resolve();
    });
  });
}

const begun = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, open));
told.seconds = (performance.now() - begun) / 1000;
process.stdout.write(`${JSON.stringify(told)}\n`);
