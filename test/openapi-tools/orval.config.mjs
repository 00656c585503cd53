// Where the document lies and what the client is called, for `run.ts`.
const { DOCUMENT, TARGET, BASE } = process.env;

export default { inpage: { input: DOCUMENT, output: { target: TARGET, client: 'fetch', baseUrl: BASE } } };
