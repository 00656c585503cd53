/** A Server Component that asks an API while it is rendered. */
import { headers } from 'next/headers';
import { Suspense } from 'react';

export default async function Page() {
  // Rendered for each request.
  const host = (await headers()).get('host');
  return (
    <main>
      <h1>{host}</h1>
      <Suspense fallback={<p>…</p>}>
        <Answer />
      </Suspense>
    </main>
  );
}

async function Answer() {
  const response = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    cache: 'no-store',
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'From a component' }] }),
  });
  const { choices } = await response.json();
  return <output>{choices[0].message.content}</output>;
}
