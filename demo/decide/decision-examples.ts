/** Inputs and questions that the bundled model manages. */

export interface AskedQuestion {
  instructions: string;
  /** Words to choose from, between commas; empty: the answer is yes or no. */
  choices: string;
}

export interface DecisionExample {
  title: string;
  input: string;
  questions: readonly AskedQuestion[];
}

const FEELING: AskedQuestion = { instructions: 'Is it positive or negative?', choices: 'positive, negative' };

export const FIRST_EXAMPLE: DecisionExample = {
  title: 'A review',
  input: 'The food was great and the people were friendly.',
  questions: [FEELING, { instructions: 'Does the writer like it?', choices: '' }],
};

export const EXAMPLES: readonly DecisionExample[] = [
  FIRST_EXAMPLE,
  {
    title: 'A complaint',
    input: 'The phone broke after two days. I want my money back.',
    questions: [FEELING, { instructions: 'Which team should answer?', choices: 'delivery, billing' }],
  },
  {
    title: 'A person',
    input: 'Anna is 31 years old and lives in Oslo.',
    questions: [
      { instructions: 'How old is Anna?', choices: '31, 25, 40' },
      { instructions: 'Where does Anna live?', choices: 'Oslo, Paris, Berlin' },
    ],
  },
];
