import { AutoModel } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import {
  checkModelClass,
  MODEL_CLASSES,
  type ModelClasses,
} from '../../../../src/engines/transformers/repository/model-classes.js';
import { SEEING_FORMS } from '../classes/vision-forms.js';
import { transformersBackend } from '../../../../src/engines/transformers/transformers-backend.js';

const listed = MODEL_CLASSES.flatMap(({ types }: ModelClasses) => types);

afterEach(() => vi.unstubAllGlobals());

it('lists every class of transformers.js once, and no other', () => {
  const { MODEL_CLASS_MAPPINGS: registry } = AutoModel as unknown as { MODEL_CLASS_MAPPINGS: Map<string, string>[] };
  const known = new Set(registry.flatMap((mapping) => [...mapping.keys()]));
  expect(listed.toSorted()).toEqual([...known].toSorted());
});

it('every class of images is shown some in the table of classes, and no other is', () => {
  const [seeing] = MODEL_CLASSES.filter(({ kind }: ModelClasses) => kind === 'vision model (text and images)');
  expect([...seeing!.types].toSorted()).toEqual(Object.keys(SEEING_FORMS).toSorted());
});

const options = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: 'http://localhost/assets/',
  pageURL: 'http://localhost/',
};

it('voices of Piper are refused by what they lack', () => {
  const entry = { id: 'voice', task: 'text-to-speech', source: 'rhasspy/piper-voices' } as const;
  expect(() => checkModelClass(entry, undefined)).toThrow(/Piper.*tokenizer.*Supertonic/);
  expect(() => checkModelClass({ ...entry, source: 'someone/voices' }, undefined)).not.toThrow();
});

describe('a class that does not run for a task', () => {
  it.each<[string, ModelEntry['task'], RegExp]>([
    [
      'voxtral',
      'speech-to-text',
      /`voxtral` is a text and audio decoder.* use a speech recognition model such as .*whisper-base/,
    ],
    ['granite_speech', 'speech-to-text', /`granite_speech`.*moonshine/],
    ['parakeet_tdt', 'speech-to-text', /`parakeet_tdt` is an unknown class/],
    ['moonshine', 'chat', /it runs as a model of task `speech-to-text`/],
    ['unheard_of', 'speech-to-text', /`unheard_of`.*whisper-base/],
    ['t5', 'chat', /`t5` is a text encoder and decoder/],
    ['florence2', 'chat', /`florence2`.*SmolVLM/],
    ['voxtral', 'chat', /`voxtral` is a text and audio decoder/],
    ['whisper', 'chat', /`whisper` is a Whisper model: it runs as a model of task `speech-to-text`/],
    ['bert', 'chat', /it runs as a model of task `embeddings`/],
    ['unheard_of', 'chat', /transformers.js does not know the class `unheard_of`/],
    ['speecht5', 'text-to-speech', /`speecht5` is a text-to-speech model without a vocoder .*Supertonic/],
    ['chatterbox', 'text-to-speech', /`chatterbox` is a text-to-speech model in four graphs.*Supertonic/],
    ['model2vec', 'chat', /`model2vec` is a table of token vectors: it runs as a model of task `embeddings`/],
    ['siglip', 'embeddings', /`siglip`.*all-MiniLM/],
    ['qwen2_vl', 'embeddings', /it runs as a model of task `chat`/],
  ])(
    '%s for %s is refused by its name, for good, with what runs instead, before any weight',
    async (type, task, message) => {
      const asked: string[] = [];
      vi.stubGlobal('fetch', async (url: string) => {
        asked.push(url.slice(url.lastIndexOf('/') + 1));
        return url.endsWith('/config.json')
          ? Response.json({ model_type: type, vision_config: {}, text_config: {} })
          : new Response('bytes');
      });
      const entry: ModelEntry = {
        id: 'mine',
        task,
        backend: 'transformers',
        source: `owner/${type}-${task}`,
        device: 'wasm',
      };
      const refusal = { code: 'model_not_supported', message: expect.stringMatching(message) as string };
      const details = { permanent: true };
      await expect(transformersBackend.load(entry, options)).rejects.toMatchObject({
        ...refusal,
        details,
      });
      await expect(transformersBackend.fetchFiles!(entry, options)).rejects.toMatchObject(refusal);
      expect(asked.filter((file) => file.includes('.onnx'))).toEqual([]);
    },
  );

  it('is not refused where the list cannot know: an encoder with a type of its own', () => {
    expect(() => checkModelClass({ id: 'mine', task: 'embeddings' }, { model_type: 'new' })).not.toThrow();
    expect(() => checkModelClass({ id: 'mine', task: 'speech-to-text' }, {})).not.toThrow();
  });
});
