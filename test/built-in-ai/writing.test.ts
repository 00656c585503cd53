import { describe, expect, it } from 'vitest';
import { scriptedChat } from '../support/build-app.js';
import { collect, failureOf, install, openInference, replying, sentTo } from './support/open-inference.js';

const window = globalThis as unknown as Record<string, any>;

describe.each([
  ['Summarizer', 'summarize', { type: 'key-points', format: 'markdown', length: 'short' }],
  ['Writer', 'write', { tone: 'neutral', format: 'markdown', length: 'short' }],
  ['Rewriter', 'rewrite', { tone: 'as-is', format: 'as-is', length: 'as-is' }],
])('%s', (name, verb, defaults) => {
  const others: Record<string, string[]> = {
    Summarizer: ['type:tldr', 'type:teaser', 'type:headline', 'format:plain-text', 'length:medium', 'length:long'],
    Writer: ['tone:formal', 'tone:casual', 'format:plain-text', 'length:medium', 'length:long'],
    Rewriter: [
      'tone:more-formal',
      'tone:more-casual',
      'format:plain-text',
      'format:markdown',
      'length:shorter',
      'length:longer',
    ],
  };

  it('[J19] asks the model with the text in the user’s turn and the task in the system’s', async () => {
    const open = await openInference(replying({ text: 'In short.' }));
    await install(open, { languages: ['en', 'de'] });
    const Interface = window[name];
    expect(await Interface.availability()).toBe('available');
    expect(await Interface.availability({ outputLanguage: 'fr' })).toBe('unavailable');
    expect(await failureOf(Interface.create({ expectedInputLanguages: ['fr'] }))).toMatchObject({
      name: 'NotSupportedError',
    });
    expect(await failureOf(Interface.create({ length: 'endless' }))).toBeInstanceOf(TypeError);
    expect(await failureOf(Interface.create({ outputLanguage: 'x y' }))).toBeInstanceOf(RangeError);
    const worker = await Interface.create();
    expect(worker).toBeInstanceOf(Interface);
    expect(worker).toMatchObject({
      ...defaults,
      sharedContext: '',
      expectedInputLanguages: null,
      outputLanguage: null,
    });

    expect(await worker[verb]('A text.')).toBe('In short.');
    expect((await collect<string>(worker[`${verb}Streaming`]('Another.'))).join('')).toBe('In short.');
    const [first, second] = sentTo(open, '/chat/completions');
    expect(first.messages.map(({ role }: any) => role)).toEqual(['system', 'user']);
    expect(first.messages[1]).toEqual({ role: 'user', content: 'A text.' });
    expect(second.messages).toEqual([first.messages[0], { role: 'user', content: 'Another.' }]);

    const tasks = new Set<string>([first.messages[0].content]);
    const options = [
      ...others[name]!.map((each) => Object.fromEntries([each.split(':')])),
      { outputLanguage: 'de' },
      { sharedContext: 'A magazine.' },
    ];
    for (const each of options) {
      const other = await Interface.create(each);
      expect(other).toMatchObject(each);
      await other[verb]('A text.');
      tasks.add(sentTo(open, '/chat/completions').at(-1).messages[0].content);
    }
    await worker[verb]('A text.', { context: 'For children.' });
    tasks.add(sentTo(open, '/chat/completions').at(-1).messages[0].content);
    expect(tasks.size).toBe(options.length + 2);

    const named = await Interface.create({ expectedInputLanguages: ['EN-gb'] });
    expect(named.expectedInputLanguages).toEqual(['en-GB']);
    expect(Object.isFrozen(named.expectedInputLanguages)).toBe(true);

    const asked = open.sent.length;
    expect(await worker[verb](' \n')).toBe('');
    expect(await collect(worker[`${verb}Streaming`](' '))).toEqual([]);
    expect(open.sent.length).toBe(asked);

    const one = await worker.measureInputUsage('A text.');
    expect(one).toBeGreaterThan(0);
    expect(await worker.measureInputUsage('A text.', { context: 'For children.' })).toBeGreaterThan(one);
    expect(worker.inputQuota).toBeGreaterThan(0);
    const tooLong = await failureOf(worker[verb]('word '.repeat(worker.inputQuota + 100)));
    expect(tooLong).toMatchObject({ name: 'QuotaExceededError', quota: worker.inputQuota });

    const reason = new Error('Mine.');
    expect(await failureOf(worker[verb]('A text.', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    worker.destroy();
    expect(await failureOf(worker[verb]('A text.'))).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(collect(worker[`${verb}Streaming`]('A text.')))).toMatchObject({ name: 'AbortError' });
  });
});

describe('Translator', () => {
  it('[J20] translates between the named languages, and no others', async () => {
    const open = await openInference(replying({ text: 'Guten Tag.' }));
    await install(open, { languages: ['en', 'de'] });
    const { Translator } = window;
    const available = (sourceLanguage: string, targetLanguage: string) =>
      Translator.availability({ sourceLanguage, targetLanguage });
    expect(await available('en', 'de')).toBe('available');
    expect(await available('EN-us', 'de-AT')).toBe('available');
    for (const [from, to] of [
      ['en', 'fr'],
      ['fr', 'de'],
      ['en', 'en'],
      ['en', 'en-GB'],
    ] as const)
      expect([from, to, await available(from, to)]).toEqual([from, to, 'unavailable']);
    expect(await failureOf(Translator.availability({ sourceLanguage: 'en' }))).toBeInstanceOf(TypeError);
    expect(await failureOf(Translator.create({ targetLanguage: 'en' }))).toBeInstanceOf(TypeError);
    expect(await failureOf(Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr' }))).toMatchObject({
      name: 'NotSupportedError',
    });
    const translator = await Translator.create({ sourceLanguage: 'EN-us', targetLanguage: 'de' });
    expect(translator).toMatchObject({ sourceLanguage: 'en-US', targetLanguage: 'de' });
    expect(await translator.translate('Good day.')).toBe('Guten Tag.');
    expect((await collect<string>(translator.translateStreaming('Good day.'))).join('')).toBe('Guten Tag.');
    const [{ messages }] = sentTo(open, '/chat/completions');
    expect(messages[0].content).toContain('American English');
    expect(messages[0].content).toContain('German');
    expect(await translator.translate(' \n ')).toBe(' \n ');
    expect(await collect(translator.translateStreaming(' '))).toEqual([' ']);
    expect(sentTo(open, '/chat/completions').length).toBe(2);
    expect(await translator.measureInputUsage('Good day.')).toBeGreaterThan(0);
  });

  it('[J20] is missing with one language, and so is the detector', async () => {
    const { installed, missing } = await install(await openInference());
    expect(missing).toEqual(['Translator', 'LanguageDetector', 'SemanticEmbedder']);
    expect(installed).toEqual(['LanguageModel', 'Summarizer', 'Writer', 'Rewriter', 'Proofreader']);
  });
});

describe('LanguageDetector', () => {
  it('[J20] tells probabilities of the model', async () => {
    const open = await openInference(replying({ text: 'B' }));
    await install(open, { languages: ['en', 'de', 'fr'] });
    const { LanguageDetector } = window;
    expect(await LanguageDetector.availability({ expectedInputLanguages: ['es'] })).toBe('unavailable');
    const detector = await LanguageDetector.create();
    const detected = await detector.detect('Guten Tag.');
    expect(sentTo(open, '/chat/completions')[0]).toMatchObject({ max_tokens: 1, logprobs: true, top_logprobs: 20 });
    expect(detected[0].detectedLanguage).toBe('de');
    expect(detected[0].confidence).toBeGreaterThan(0.99);
    expect(detected.at(-1).detectedLanguage).toBe('und');
    const sum = detected.reduce((all: number, { confidence }: any) => all + confidence, 0);
    expect(sum).toBeLessThanOrEqual(1);
    const known = detected.slice(0, -1).map(({ confidence }: any) => confidence);
    expect(known).toEqual(known.toSorted((one: number, other: number) => other - one));
    expect(detected.every(({ detectedLanguage: tag }: any) => ['en', 'de', 'fr', 'und'].includes(tag))).toBe(true);
    expect(await detector.detect(' ')).toEqual([{ detectedLanguage: 'und', confidence: 1 }]);
    expect(sentTo(open, '/chat/completions').length).toBe(1);
  });
});

describe('Proofreader', () => {
  const apply = (input: string, { corrections }: any): string =>
    corrections.reduceRight(
      (text: string, { startIndex, endIndex, correction }: any) =>
        text.slice(0, startIndex) + correction + text.slice(endIndex),
      input,
    );

  it('[J21] gives the corrected text, and corrections that lead to it', async () => {
    const cases = [
      ['I has a aple and an 🍎 yesterday.', 'I had an apple and an 🍎 yesterday.'],
      ['All is well.', 'All is well.'],
      ['  Spaces stay \n', 'Spaces stay.'],
      ['One two three', 'Something else entirely!'],
    ] as const;
    const open = await openInference(replying(...cases.map(([input, text]) => ({ match: input.trim(), text }))));
    await install(open);
    const { Proofreader } = window;
    const proofreader = await Proofreader.create();
    for (const [input, corrected] of cases) {
      const result = await proofreader.proofread(input);
      expect(result.correctedInput.trim()).toBe(corrected);
      expect(apply(input, result)).toBe(result.correctedInput);
      const edges = result.corrections.flatMap(({ startIndex, endIndex }: any) => [startIndex, endIndex]);
      expect(edges).toEqual(edges.toSorted((one: number, other: number) => one - other));
    }
    expect((await proofreader.proofread('I has a aple and an 🍎 yesterday.')).corrections).toEqual([
      { startIndex: 2, endIndex: 5, correction: 'had' },
      { startIndex: 6, endIndex: 7, correction: 'an' },
      { startIndex: 8, endIndex: 12, correction: 'apple' },
    ]);
    expect((await proofreader.proofread('All is well.')).corrections).toEqual([]);
    expect((await proofreader.proofread('  Spaces stay \n')).correctedInput).toBe('  Spaces stay. \n');
    expect(await proofreader.proofread(' ')).toEqual({ correctedInput: ' ', corrections: [] });
    for (const options of [{ includeCorrectionTypes: true }, { includeCorrectionExplanations: true }]) {
      expect(await Proofreader.availability(options)).toBe('unavailable');
      expect(await failureOf(Proofreader.create(options))).toMatchObject({ name: 'NotSupportedError' });
    }
  });
});

describe('SemanticEmbedder', () => {
  it('[J22] embeds as the service does', async () => {
    const models = (prompts?: Record<string, string>) => [
      scriptedChat(),
      {
        id: 'scripted-embed',
        task: 'embeddings' as const,
        backend: 'scripted' as const,
        contextLength: 20,
        script: { replies: [] },
        ...(prompts && { prompts }),
      },
    ];
    const open = await openInference({
      models: models({ query: 'query: ', document: 'passage: ', clustering: 'cluster: ' }),
    });
    await install(open);
    const { SemanticEmbedder } = window;
    expect(await SemanticEmbedder.availability()).toBe('available');
    const embedder = await SemanticEmbedder.create();
    const served = async (input: string, input_type?: string): Promise<number[]> => {
      const answer = await open.inference.fetch('https://app.test/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'scripted-embed', input, ...(input_type && { input_type }) }),
      });
      return (await answer.json()).data[0].embedding.map(Math.fround);
    };
    const { embeddings } = await embedder.embed(['one', 'two']);
    expect(embeddings.map(({ values }: any) => values instanceof Float32Array)).toEqual([true, true]);
    expect(embeddings.map(({ values }: any) => [...values])).toEqual([await served('one'), await served('two')]);
    const valuesOf = async (taskType?: string) => [...(await embedder.embed('one', { taskType })).embeddings[0].values];
    expect(await valuesOf()).toEqual(await served('one'));
    expect(await valuesOf('retrieval-query')).toEqual(await served('one', 'query'));
    expect(await valuesOf('retrieval-document')).toEqual(await served('one', 'document'));
    expect(await valuesOf('clustering')).toEqual(await served('one', 'clustering'));
    expect(await valuesOf('classification')).toEqual(await served('one'));
    expect(await valuesOf('semantic-similarity')).toEqual(await served('one'));
    expect(await failureOf(embedder.embed('one', { taskType: 'search' }))).toBeInstanceOf(TypeError);
    expect(await failureOf(embedder.embed('word '.repeat(60)))).toMatchObject({ name: 'QuotaExceededError' });
    const reason = new Error('Mine.');
    expect(await failureOf(embedder.embed('one', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    embedder.destroy();
    expect(await failureOf(embedder.embed('one'))).toMatchObject({ name: 'AbortError' });
  });
});
