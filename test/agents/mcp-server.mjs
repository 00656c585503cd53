/** A server of the Model Context Protocol with one tool, which makes the file that is its argument. */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const inputSchema = { type: 'object', properties: { name: { type: 'string' } } };

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fruit', version: '1' } });
  } else if (method === 'tools/list') {
    answer(id, { tools: [{ name: 'peel', description: 'Peels.', inputSchema }] });
  } else if (method === 'tools/call') {
    writeFileSync(process.argv[2], 'made');
    answer(id, { content: [{ type: 'text', text: 'TOOL-RAN' }] });
  } else if (id !== undefined) {
    answer(id, {});
  }
});
