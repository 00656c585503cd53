/** The text of the model's answer. The same in every part of the extension. */
export async function ask(inference, question) {
  const response = await inference.fetch(`${inference.baseURL}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: question }] }),
  });
  return (await response.json()).choices[0].message.content;
}
