/** Character references of HTML and XML. @module */

/** Names with code points: those of HTML 4, and a few of the others that are written. */
const NAMED =
  'AElig:c6 Aacute:c1 Abreve:102 Acirc:c2 Agrave:c0 Alpha:391 Aogon:104 Aring:c5 Atilde:c3 Auml:c4 Beta:392 ' +
  'Cacute:106 Ccaron:10c Ccedil:c7 Chi:3a7 Dagger:2021 Dcaron:10e Delta:394 ETH:d0 Eacute:c9 Ecaron:11a ' +
  'Ecirc:ca Egrave:c8 Eogon:118 Epsilon:395 Eta:397 Euml:cb Gamma:393 Gbreve:11e Iacute:cd Icirc:ce Idot:130 ' +
  'Igrave:cc Iota:399 Iuml:cf Kappa:39a Lambda:39b Lstrok:141 Mu:39c Nacute:143 Ncaron:147 NewLine:a Ntilde:d1 ' +
  'Nu:39d OElig:152 Oacute:d3 Ocirc:d4 Odblac:150 Ograve:d2 Omega:3a9 Omicron:39f Oslash:d8 Otilde:d5 Ouml:d6 ' +
  'Phi:3a6 Pi:3a0 Prime:2033 Psi:3a8 Rcaron:158 Rho:3a1 Sacute:15a Scaron:160 Scedil:15e Sigma:3a3 THORN:de ' +
  'Tab:9 Tau:3a4 Tcaron:164 Theta:398 Uacute:da Ucirc:db Udblac:170 Ugrave:d9 Upsilon:3a5 Uring:16e Uuml:dc ' +
  'Xi:39e Yacute:dd Yuml:178 Zacute:179 Zcaron:17d Zdot:17b Zeta:396 aacute:e1 abreve:103 acirc:e2 acute:b4 ' +
  'aelig:e6 agrave:e0 alefsym:2135 alpha:3b1 amp:26 and:2227 ang:2220 aogon:105 apos:27 aring:e5 ast:2a ' +
  'asymp:2248 atilde:e3 auml:e4 bdquo:201e beta:3b2 brvbar:a6 bsol:5c bull:2022 cacute:107 cap:2229 ccaron:10d ' +
  'ccedil:e7 cedil:b8 cent:a2 check:2713 chi:3c7 circ:2c6 clubs:2663 colon:3a comma:2c commat:40 cong:2245 ' +
  'copy:a9 copysr:2117 crarr:21b5 cup:222a curren:a4 dArr:21d3 dagger:2020 darr:2193 dash:2010 dcaron:10f ' +
  'deg:b0 delta:3b4 diams:2666 divide:f7 dollar:24 eacute:e9 ecaron:11b ecirc:ea egrave:e8 empty:2205 emsp:2003 ' +
  'ensp:2002 eogon:119 epsilon:3b5 equals:3d equiv:2261 eta:3b7 eth:f0 euml:eb euro:20ac excl:21 exist:2203 ' +
  'fnof:192 forall:2200 frac12:bd frac13:2153 frac14:bc frac23:2154 frac34:be frasl:2044 gamma:3b3 gbreve:11f ' +
  'ge:2265 grave:60 gt:3e hArr:21d4 half:bd harr:2194 hearts:2665 hellip:2026 hyphen:2010 iacute:ed icirc:ee ' +
  'iexcl:a1 igrave:ec image:2111 infin:221e inodot:131 int:222b iota:3b9 iquest:bf isin:2208 iuml:ef kappa:3ba ' +
  'lArr:21d0 lambda:3bb lang:2329 laquo:ab larr:2190 lbrace:7b lbrack:5b lceil:2308 ldquo:201c le:2264 ' +
  'lfloor:230a lowast:2217 lowbar:5f loz:25ca lpar:28 lrm:200e lsaquo:2039 lsquo:2018 lstrok:142 lt:3c macr:af ' +
  'mdash:2014 micro:b5 middot:b7 minus:2212 mu:3bc nabla:2207 nacute:144 nbsp:a0 ncaron:148 ndash:2013 ne:2260 ' +
  'ni:220b not:ac notin:2209 nsub:2284 ntilde:f1 nu:3bd num:23 numero:2116 oacute:f3 ocirc:f4 odblac:151 ' +
  'oelig:153 ograve:f2 oline:203e omega:3c9 omicron:3bf oplus:2295 or:2228 ordf:aa ordm:ba oslash:f8 otilde:f5 ' +
  'otimes:2297 ouml:f6 para:b6 part:2202 percnt:25 period:2e permil:2030 perp:22a5 phi:3c6 phone:260e pi:3c0 ' +
  'piv:3d6 plus:2b plusmn:b1 pound:a3 prime:2032 prod:220f prop:221d psi:3c8 quest:3f quot:22 rArr:21d2 ' +
  'radic:221a rang:232a raquo:bb rarr:2192 rbrace:7d rbrack:5d rcaron:159 rceil:2309 rdquo:201d real:211c ' +
  'reg:ae rfloor:230b rho:3c1 rlm:200f rpar:29 rsaquo:203a rsquo:2019 sacute:15b sbquo:201a scaron:161 ' +
  'scedil:15f sdot:22c5 sect:a7 semi:3b shy:ad sigma:3c3 sigmaf:3c2 sim:223c sol:2f spades:2660 star:2606 ' +
  'sub:2282 sube:2286 sum:2211 sup:2283 sup1:b9 sup2:b2 sup3:b3 supe:2287 szlig:df tau:3c4 tcaron:165 ' +
  'there4:2234 theta:3b8 thetasym:3d1 thinsp:2009 thorn:fe tilde:2dc times:d7 trade:2122 uArr:21d1 uacute:fa ' +
  'uarr:2191 ucirc:fb udblac:171 ugrave:f9 uml:a8 upsih:3d2 upsilon:3c5 uring:16f uuml:fc verbar:7c weierp:2118 ' +
  'xi:3be yacute:fd yen:a5 yuml:ff zacute:17a zcaron:17e zdot:17c zeta:3b6 zwj:200d zwnj:200c';

let named: ReadonlyMap<string, string> | undefined;

/** Old documents leave the semicolon out of the first few names. */
const REFERENCE = /&(?:#(\d{1,7});?|#x([\da-f]{1,6});?|([a-z]\w{1,30});|(amp|lt|gt|quot|nbsp|copy|reg)(?![\w=]))/gi;

/** What Windows-1252 has where Latin-1 has control characters: documents mean those. */
const WINDOWS_1252 = '€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ';

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  named ??= new Map(NAMED.split(' ').map((pair) => readPair(pair)));
  const names = named;
  return text.replaceAll(REFERENCE, (...found: (string | undefined)[]) => {
    const [whole = '', decimal, hex, name, bare] = found;
    if (decimal !== undefined) return characterOf(Number(decimal));
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    return names.get(name ?? bare ?? '') ?? names.get((name ?? bare ?? '').toLowerCase()) ?? whole;
  });
}

function readPair(pair: string): [name: string, character: string] {
  const [name = '', code = ''] = pair.split(':');
  return [name, String.fromCodePoint(Number.parseInt(code, 16))];
}

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return Array.from(WINDOWS_1252)[code - 0x80]!;
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\u{fffd}';
}
