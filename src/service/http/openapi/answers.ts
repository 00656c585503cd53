/** What each endpoint answers with 200. @module */
import type { ErrorShape } from '../../../core/errors/error-bodies.js';
import type { Compatibility } from '../policy/compatibility.js';
import * as schemas from './answer-schemas.js';
import * as files from './file-answers.js';
import * as ollama from './ollama-answers.js';
import { boolean, integer, list, object, only, orNull, ref, text, type JsonSchema } from './json-schema.js';

/** Parts that several answers have, by their names in the document. */
export const ANSWER_PARTS: Record<string, JsonSchema> = {
  CompletionUsage: schemas.completionUsage,
  ResponseUsage: schemas.responseUsage,
  OutputItem: schemas.outputItem,
  File: files.file,
  VectorStore: files.vectorStore,
  VectorStoreFile: files.member,
  OpenAIModel: schemas.openaiModel,
  OpenAIModels: schemas.openaiModels,
  AnthropicModel: schemas.anthropicModel,
  AnthropicModels: schemas.anthropicModels,
};

/** What an endpoint answers. */
interface Answer {
  /** Of the schema in the document; absent: the answer is not JSON. */
  name?: string;
  schema?: JsonSchema;
  /** Other media types, with what they hold. */
  others?: Record<string, JsonSchema>;
  /** The shape of an error that comes with the same status. */
  failure?: ErrorShape;
}

const EVENTS = { 'text/event-stream': { type: 'string', description: 'Server-sent events, with `stream: true`.' } };
const LINES = {
  'application/x-ndjson': { type: 'string', description: 'A JSON object in each line, unless `stream: false`.' },
};
/** Bytes that are no text. */
const SOUND = { type: 'string', format: 'binary' };
const TRANSCRIPTS = { 'text/plain': text, 'text/vtt': text, ...EVENTS };
const SOUNDS = Object.fromEntries(
  ['mpeg', 'wav', 'pcm', 'ogg', 'aac', 'flac'].map((format) => [`audio/${format}`, SOUND]),
);

// Not `Response`: generated code in TypeScript uses the type of that name that every platform has.
const RESPONSE: Answer = { name: 'ResponseObject', schema: schemas.response };
const CONVERSATION: Answer = { name: 'Conversation', schema: schemas.conversation };

const FILE: Answer = { name: 'FileObject', schema: files.file };
const STORE: Answer = { name: 'VectorStoreObject', schema: files.vectorStore };
const MEMBER: Answer = { name: 'VectorStoreFileObject', schema: files.member };
const MEMBERS: Answer = { name: 'VectorStoreFiles', schema: files.pageOf(ref('VectorStoreFile')) };
const BATCH: Answer = { name: 'FileBatch', schema: files.batch };
const STORE_PATH = '/vector_stores/{vector_store_id}';
const MEMBER_PATH = `${STORE_PATH}/files/{file_id}`;
const BATCH_PATH = `${STORE_PATH}/file_batches/{batch_id}`;

/** By method and path. */
const ANSWERS: Record<string, (compatibility: Compatibility) => Answer> = {
  'POST /chat/completions': ({ wrongOutput }) => ({
    name: 'ChatCompletion',
    schema: schemas.chatCompletion,
    others: EVENTS,
    ...(wrongOutput === 'error' && { failure: 'model-output' }),
  }),
  'POST /completions': (chosenRules) => ({
    name: 'Completion',
    schema: schemas.completion(chosenRules),
    others: EVENTS,
  }),
  'POST /messages': () => ({ name: 'Message', schema: schemas.message, others: EVENTS }),
  'POST /messages/count_tokens': () => ({ name: 'MessageTokens', schema: object({ input_tokens: integer }) }),
  'POST /responses': () => ({ ...RESPONSE, others: EVENTS }),
  'POST /responses/input_tokens': () => ({
    name: 'InputTokens',
    schema: object({ object: only('response.input_tokens'), input_tokens: integer }),
  }),
  'POST /responses/compact': () => ({ name: 'Compaction', schema: schemas.compaction }),
  'GET /responses/{id}': () => ({ ...RESPONSE, others: EVENTS }),
  'POST /responses/{id}/cancel': () => RESPONSE,
  'DELETE /responses/{id}': () => ({
    name: 'RemovedResponse',
    schema: object({ id: text, object: only('response'), deleted: boolean }),
  }),
  'GET /responses/{id}/input_items': () => ({ name: 'InputItems', schema: schemas.inputItems }),
  'POST /conversations': () => CONVERSATION,
  'GET /conversations/{id}': () => CONVERSATION,
  'POST /conversations/{id}': () => CONVERSATION,
  'DELETE /conversations/{id}': () => ({
    name: 'RemovedConversation',
    schema: object({ id: text, object: only('conversation.deleted'), deleted: boolean }),
  }),
  'GET /conversations/{id}/items': () => ({ name: 'InputItems', schema: schemas.inputItems }),
  'POST /conversations/{id}/items': () => ({ name: 'InputItems', schema: schemas.inputItems }),
  'GET /conversations/{id}/items/{item_id}': () => ({ name: 'ConversationItem', schema: schemas.inputItem }),
  'DELETE /conversations/{id}/items/{item_id}': () => CONVERSATION,
  'POST /files': () => FILE,
  'GET /files': () => ({ name: 'Files', schema: files.pageOf(ref('File')) }),
  'GET /files/{file_id}': () => FILE,
  'DELETE /files/{file_id}': () => ({ name: 'RemovedFile', schema: files.removed('file') }),
  'GET /files/{file_id}/content': () => ({ others: { 'application/octet-stream': SOUND } }),
  'POST /vector_stores': () => STORE,
  'GET /vector_stores': () => ({ name: 'VectorStores', schema: files.pageOf(ref('VectorStore')) }),
  [`GET ${STORE_PATH}`]: () => STORE,
  [`POST ${STORE_PATH}`]: () => STORE,
  [`DELETE ${STORE_PATH}`]: () => ({ name: 'RemovedVectorStore', schema: files.removed('vector_store.deleted') }),
  [`POST ${STORE_PATH}/search`]: () => ({ name: 'SearchResults', schema: files.searchResults }),
  [`POST ${STORE_PATH}/files`]: () => MEMBER,
  [`GET ${STORE_PATH}/files`]: () => MEMBERS,
  [`GET ${MEMBER_PATH}`]: () => MEMBER,
  [`POST ${MEMBER_PATH}`]: () => MEMBER,
  [`DELETE ${MEMBER_PATH}`]: () => ({
    name: 'RemovedVectorStoreFile',
    schema: files.removed('vector_store.file.deleted'),
  }),
  [`GET ${MEMBER_PATH}/content`]: () => ({ name: 'FileText', schema: files.fileText }),
  [`POST ${STORE_PATH}/file_batches`]: () => BATCH,
  [`GET ${BATCH_PATH}`]: () => BATCH,
  [`POST ${BATCH_PATH}/cancel`]: () => BATCH,
  [`GET ${BATCH_PATH}/files`]: () => MEMBERS,
  'POST /embeddings': () => ({ name: 'Embeddings', schema: schemas.embeddings }),
  'POST /rerank': () => ({ name: 'Ranking', schema: schemas.ranking }),
  'POST /tokenize': () => ({
    name: 'Tokens',
    schema: object({
      count: integer,
      max_model_len: integer,
      tokens: list(integer),
      token_strs: orNull(list(text)),
    }),
  }),
  'POST /detokenize': () => ({ name: 'TokenText', schema: object({ prompt: text }) }),
  'GET /tokenizer_info': () => ({ name: 'TokenizerInfo', schema: schemas.tokenizerInfo }),
  'POST /decisions': () => ({ name: 'Decisions', schema: schemas.decisions }),
  'POST /systemone': () => ({ name: 'SystemOneAnswers', schema: schemas.systemOne }),
  'POST /audio/transcriptions': () => ({ name: 'Transcript', schema: schemas.transcript, others: TRANSCRIPTS }),
  'POST /audio/translations': () => ({ name: 'Transcript', schema: schemas.transcript, others: TRANSCRIPTS }),
  'POST /audio/speech': () => ({ others: { ...SOUNDS, ...EVENTS } }),
  'GET /audio/voices': () => ({
    name: 'Voices',
    schema: object({ voices: list(object({ id: text, name: text, language: orNull(text) })) }),
  }),
  'POST /api/chat': () => ({ name: 'OllamaChat', schema: ollama.ollamaChat, others: LINES }),
  'POST /api/generate': () => ({ name: 'OllamaGenerate', schema: ollama.ollamaGenerate, others: LINES }),
  'POST /api/embed': () => ({ name: 'OllamaEmbed', schema: ollama.ollamaEmbed }),
  'POST /api/embeddings': () => ({ name: 'OllamaEmbeddings', schema: ollama.ollamaEmbeddings }),
  'GET /api/tags': () => ({ name: 'OllamaTags', schema: ollama.ollamaTags }),
  'POST /api/show': () => ({ name: 'OllamaShow', schema: ollama.ollamaShow }),
  'GET /api/ps': () => ({ name: 'OllamaPs', schema: ollama.ollamaPs }),
  'GET /api/version': () => ({ name: 'OllamaVersion', schema: ollama.ollamaVersion }),
  'POST /api/pull': () => ({ name: 'OllamaPull', schema: ollama.ollamaPull, others: LINES }),
  'DELETE /api/delete': () => ({}),
  'GET /models': () => ({ name: 'Models', schema: schemas.models }),
  'GET /models/{id}': () => ({ name: 'Model', schema: schemas.model }),
};

/** @param operation method and path @throws TypeError for one that nothing is said of */
export function describeAnswer(operation: string, compatibility: Compatibility): Answer {
  const of = ANSWERS[operation];
  if (!of) throw new TypeError(`The response of ${operation} is not described.`);
  return of(compatibility);
}
