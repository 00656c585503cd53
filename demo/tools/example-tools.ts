/** Functions of this page that the model may call. */

/** A function with its description, as requests carry it. */
export interface ExampleTool {
  question: string;
  name: string;
  description: string;
  parameters: object;
  run: (values: Record<string, string>) => object;
}

function oneText(name: string, description: string): object {
  return { type: 'object', properties: { [name]: { type: 'string', description } }, required: [name] };
}

/** Made up, but the same for the same city. */
function weatherOf(city: string): object {
  const seed = city.length + (city.codePointAt(0) ?? 0);
  return { temperature: 4 + (seed % 24), condition: ['sunny', 'cloudy', 'rainy'][seed % 3] };
}

export const EXAMPLE_TOOLS: readonly ExampleTool[] = [
  {
    question: 'What is the weather in Oslo?',
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    parameters: oneText('city', 'The city'),
    run: ({ city = '' }) => weatherOf(city),
  },
  {
    question: 'Play some jazz.',
    name: 'play_music',
    description: 'Play music of a genre.',
    parameters: oneText('genre', 'The genre'),
    run: ({ genre = '' }) => ({ status: 'playing', genre }),
  },
];
