// Put your app in the place of this one. It knows nothing of Inpage.
const button = document.querySelector('button')!;
const output = document.querySelector('[role=status]')!;

async function ask(question: string): Promise<string> {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: question }] }),
  });
  if (!response.ok) return `Sorry: ${response.status}`;
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

button.addEventListener('click', () => {
  void ask(button.textContent).then((answer) => (output.textContent = answer));
});
