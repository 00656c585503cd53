/** Neighbours of the reported patterns and formats. JavaScript's own RegExp says what a pattern takes. */
import { describe, expect, it } from 'vitest';
import { accepting, grammarOf } from '../support/engine-accepts.js';

const TEXTS =
  '|a|ab|A|Ab|1|a1|Ä|é|e\u0301|ß|ñ|Müller|O’Neil|Анна|Ж|عربي|٣|हिन्दी|क्षि|ไทย|한|홍길동|日本|你好|ひらがな|カナ|😀|👍🏽|🇩🇪|€5|5 €|½|²|-|_|a b| a|a |\u00a0|\u3000|\u200b|\u2028|\ufeff|<b>|x:y|foo|foo bar|foobar|a foo|foo-bar|foo.|_foo'.split(
    '|',
  );

async function taken(schema: object): Promise<string[]> {
  const allows = await accepting(grammarOf({ type: 'string', ...schema }));
  const found: string[] = [];
  for (const text of TEXTS) if (await allows(JSON.stringify(text))) found.push(text);
  return found;
}

describe('[C79] patterns take what JavaScript takes', () => {
  it.each([
    '^\\p{Script=Arabic}+$',
    '^(\\p{L}\\p{M}*)+$',
    '^[ก-๙]+$',
    '^\\p{Script=Hangul}{1,4}$',
    '^[ぁ-んァ-ヶー一-龠]+$',
    '^\\p{Emoji_Presentation}+$',
    '^[\\u{1F600}-\\u{1F64F}]$',
    '^\\uD83D\\uDE00$',
    '^\\p{Lu}\\p{Ll}+$',
    '^[^\\p{L}]+$',
    '^\\P{L}+$',
    '^[\\p{L}\\p{M}’ -]+$',
    '^\\p{Sc}\\d+$',
    '^[^\\w\\s]+$',
    '^(?!.*[<>]).+$',
    '^(?=.*\\p{L})(?=.*\\d).{2,}$',
    '^(?<año>\\p{N})$',
  ])('%s', async (pattern) => {
    const wanted = TEXTS.filter((text) => new RegExp(pattern, 'u').test(text));
    expect(await taken({ pattern })).toEqual(wanted);
  });
});

describe('[C80] formats take their rarer forms, too', () => {
  it.each([
    ['time', ['23:59:60Z', '08:30:06.283185Z', '08:30:06-08:00', '08:30:06z'], ['08:30:60Z', '8:30:06Z', '08:30:06']],
    ['date-time', ['1998-12-31T23:59:60Z', '1937-01-01T12:00:27.87+00:20'], ['1998-12-31T23:58:60Z', '1998-12-31']],
    ['ipv6', ['::ffff:192.168.0.1', '1::d6:192.168.0.1', '1:2:3:4:5:6:7::'], ['1:2:3:4:5:6:7:8:9', '::1%eth0']],
    ['email', ["o'neil@example.com", 'te~st@example.com', 'a%b@example.org'], ['a..b@example.com', '.a@example.com']],
    ['duration', ['P4DT12H30M5S', 'PT0S', 'P2W'], ['P1D2W', 'PT1D', 'P1']],
    ['hostname', ['xn--4gbwdl.xn--wgbh1c', 'a'.repeat(63)], ['-a.b', 'a_b', 'a'.repeat(64)]],
    ['uuid', ['2EB8AA08-AA98-11EA-B4AA-73B441D16380'], ['2eb8aa08-aa98-11ea-b4aa73b441d16380']],
    ['date', ['2000-02-29', '2024-02-29'], ['1900-02-29', '2023-02-29']],
  ])('%s', async (format, can, cannot) => {
    const allows = await accepting(grammarOf({ type: 'string', format }));
    for (const text of can) expect([text, await allows(JSON.stringify(text))]).toEqual([text, true]);
    for (const text of cannot) expect([text, await allows(JSON.stringify(text))]).toEqual([text, false]);
  });
});
