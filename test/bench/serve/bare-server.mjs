/** What Node alone takes to read a chat request and to answer it: the same JSON each time. Prints its address. */
import { createServer } from 'node:http';

const choices = [
  { index: 0, message: { role: 'assistant', content: 'Hello there, how are you today?' }, finish_reason: 'stop' },
];
const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const { model } = JSON.parse(Buffer.concat(pieces).toString());
    const answer = JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 0, model, choices });
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/v1\n`);
});
