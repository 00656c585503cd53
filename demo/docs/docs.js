// The search of the documentation, and lists that are open where there is room for them.
const MAX_RESULTS = 12;
/** Characters of a section that a result shows, and how many of them before the first word found. */
const SHOWN = { length: 160, before: 40 };

const wide = matchMedia('(min-width: 52.01rem)');
const unfold = () => {
  for (const list of document.querySelectorAll('nav details')) list.open = wide.matches;
};
wide.addEventListener('change', unfold);
unfold();

const input = document.querySelector('input[type=search]');
const results = document.querySelector('.results');
let sections;

input.addEventListener('focus', () => void load());
input.addEventListener('input', () => void load().then(() => show(input.value.trim().toLowerCase())));
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') results.querySelector('a')?.click();
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target !== document.body) return;
  event.preventDefault();
  input.focus();
});

for (const button of document.querySelectorAll('.code button')) {
  button.addEventListener('click', () => void copyFrom(button));
}

async function copyFrom(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

async function load() {
  sections ??= fetch('search.json').then((response) => response.json());
  sections = await sections;
}

function show(query) {
  const words = query.split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0;
  const found = sections
    .map((section) => ({ section, score: score(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ section }) => link(section, words));
  const count = document.createElement('p');
  count.textContent = found.length === 0 ? `Nothing found for “${query}”.` : `Results for “${query}”`;
  results.replaceChildren(count, ...found);
}

/** 0: a word is missing. A word counts most in a heading, then in the page's title, then in the text; all of them in a row count once more. */
function score({ page, heading, text }, words) {
  const [title, head, body] = [page, heading, text].map((part) => part.toLowerCase());
  const phrase = words.join(' ');
  let sum = words.length > 1 ? (head.includes(phrase) ? 8 : 0) + (body.includes(phrase) ? 1 : 0) : 0;
  // `a` and `of` are in every heading.
  const telling = words.filter((word) => word.length > 2);
  for (const word of telling.length > 0 ? telling : words) {
    const points = (head.includes(word) ? 8 : 0) + (title.includes(word) ? 3 : 0) + (body.includes(word) ? 1 : 0);
    if (points === 0) return 0;
    sum += points;
  }
  return sum;
}

function link({ url, page, heading, text }, words) {
  const anchor = document.createElement('a');
  anchor.href = url;
  const title = document.createElement('strong');
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - SHOWN.before);
  const extract = document.createElement('span');
  extract.textContent = `${at > 0 ? '… ' : ''}${text.slice(at, at + SHOWN.length)}…`;
  anchor.append(title, extract);
  anchor.addEventListener('click', () => {
    input.value = '';
    results.hidden = true;
  });
  return anchor;
}
