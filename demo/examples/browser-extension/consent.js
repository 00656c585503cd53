/** Asks the person whether a web page may use the models. */
import { consentRequest } from 'inpage/extension';

const { origin, allow, deny } = await consentRequest();
document.querySelector('h1').textContent = `May ${origin} use the models of this extension?`;
for (const [id, decide] of Object.entries({ allow, deny })) {
  const button = document.getElementById(id);
  button.disabled = false;
  button.onclick = async () => {
    await decide();
    window.close();
  };
}
