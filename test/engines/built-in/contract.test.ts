import { describeBackend } from '../../contract/backend-contract.js';
import { createLanguageModel } from '../../support/language-model.js';
import { loadBrowserModel } from './load-browser-model.js';

const REFUSED = [
  {
    reason: 'the interface returns no probabilities',
    tests: [
      '[D07] decides alike alone, in company, in any order, and when asked again',
      '[D08] finds the input in the prefix cache when it is asked again',
      '[D15] is free again when decisions are aborted',
    ],
  },
  {
    reason: 'the interface takes no seed, and it is refused by name',
    tests: [
      'repeats itself with the same seed at a high temperature',
      'says other things with other seeds',
      'gives n choices, each with its own end',
    ],
  },
  {
    reason: 'the interface does not return log-probabilities, and they are refused by name',
    tests: ['gives log-probabilities of the chosen tokens and the best ones'],
  },
  {
    reason: 'the interface takes no bias, and it is refused by name',
    tests: ['a bias of +100 makes a token win at every step', 'a bias of -100 forbids a token'],
  },
];

describeBackend("the browser's own model", {
  load: () => loadBrowserModel(createLanguageModel()),
  skip: REFUSED,
});

describeBackend("the browser's own model under the earlier names", {
  load: () => loadBrowserModel(createLanguageModel({ isEarly: true })),
  skip: REFUSED,
});
