// What the tests of each runner do, without anything that a test may replace: no `fetch`, no timers.
const { request } = require('node:http');

/** @returns status and text of a chat completion */
exports.ask = (server, content, body = {}) =>
  new Promise((resolve, reject) => {
    const asked = request(`${server.baseURL}/chat/completions`, { method: 'POST' }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode, text })).on('error', reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }], ...body }));
  });
