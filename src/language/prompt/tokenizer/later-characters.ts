/**
 * Where the tokenizers that models were trained with know an older Unicode than the browser: Python's `tokenizers` looks
 * categories up in tables of Unicode 8, and marks and compatibility forms in tables of Unicode 9. What came later has no
 * category there, so these characters stay as they are. Each list is what the browser's table (Unicode 17) has besides.
 * @module
 */

/** Not yet `Cf` then. */
export const LATER_FORMAT = String.raw`\u0890\u0891\u08E2\u{110CD}\u{13430}-\u{1343F}`;

/** Not yet `Mn` then. */
export const LATER_NONSPACING =
  String.raw`\u07FD\u0897-\u089F\u08CA-\u08E1\u09FE\u0AFA-\u0AFF\u0B55\u0C04\u0C3C\u0D00\u0D3B\u0D3C\u0D81\u0EBA\u0ECE` +
  String.raw`\u180F\u1885\u1886\u1ABF-\u1ADD\u1AE0-\u1AEB\u1DF6-\u1DFB\uA82C\uA8C5\uA8FF\uA9BD\u{10D24}-\u{10D27}` +
  String.raw`\u{10D69}-\u{10D6D}\u{10EAB}\u{10EAC}\u{10EFA}-\u{10EFF}\u{10F46}-\u{10F50}\u{10F82}-\u{10F85}\u{11070}` +
  String.raw`\u{11073}\u{11074}\u{110C2}\u{111C9}\u{111CF}\u{1123E}\u{11241}\u{1133B}\u{113BB}-\u{113C0}\u{113CE}` +
  String.raw`\u{113D0}\u{113D2}\u{113E1}\u{113E2}\u{11438}-\u{1143F}\u{11442}-\u{11444}\u{11446}\u{1145E}` +
  String.raw`\u{1182F}-\u{11837}\u{11839}\u{1183A}\u{1193B}\u{1193C}\u{1193E}\u{11943}\u{119D4}-\u{119D7}\u{119DA}` +
  String.raw`\u{119DB}\u{119E0}\u{11A01}-\u{11A0A}\u{11A33}-\u{11A38}\u{11A3B}-\u{11A3E}\u{11A47}\u{11A51}-\u{11A56}` +
  String.raw`\u{11A59}-\u{11A5B}\u{11A8A}-\u{11A96}\u{11A98}\u{11A99}\u{11B60}\u{11B62}-\u{11B64}\u{11B66}` +
  String.raw`\u{11C30}-\u{11C36}\u{11C38}-\u{11C3D}\u{11C3F}\u{11C92}-\u{11CA7}\u{11CAA}-\u{11CB0}\u{11CB2}\u{11CB3}` +
  String.raw`\u{11CB5}\u{11CB6}\u{11D31}-\u{11D36}\u{11D3A}\u{11D3C}\u{11D3D}\u{11D3F}-\u{11D45}\u{11D47}\u{11D90}` +
  String.raw`\u{11D91}\u{11D95}\u{11D97}\u{11EF3}\u{11EF4}\u{11F00}\u{11F01}\u{11F36}-\u{11F3A}\u{11F40}\u{11F42}` +
  String.raw`\u{11F5A}\u{13440}\u{13447}-\u{13455}\u{1611E}-\u{16129}\u{1612D}-\u{1612F}\u{16F4F}\u{16FE4}` +
  String.raw`\u{1CF00}-\u{1CF2D}\u{1CF30}-\u{1CF46}\u{1E000}-\u{1E006}\u{1E008}-\u{1E018}\u{1E01B}-\u{1E021}\u{1E023}` +
  String.raw`\u{1E024}\u{1E026}-\u{1E02A}\u{1E08F}\u{1E130}-\u{1E136}\u{1E2AE}\u{1E2EC}-\u{1E2EF}\u{1E4EC}-\u{1E4EF}` +
  String.raw`\u{1E5EE}\u{1E5EF}\u{1E6E3}\u{1E6E6}\u{1E6EE}\u{1E6EF}\u{1E6F5}\u{1E944}-\u{1E94A}`;

/** Not yet `M` then. */
export const LATER_MARKS =
  String.raw`\u07FD\u0897-\u089F\u08CA-\u08D3\u09FE\u0AFA-\u0AFF\u0B55\u0C04\u0C3C\u0CF3\u0D00\u0D3B\u0D3C\u0D81\u0EBA` +
  String.raw`\u0ECE\u1715\u180F\u1ABF-\u1ADD\u1AE0-\u1AEB\u1CF7\u1DF6-\u1DFA\uA82C\uA8FF\u{10D24}-\u{10D27}` +
  String.raw`\u{10D69}-\u{10D6D}\u{10EAB}\u{10EAC}\u{10EFA}-\u{10EFF}\u{10F46}-\u{10F50}\u{10F82}-\u{10F85}\u{11070}` +
  String.raw`\u{11073}\u{11074}\u{110C2}\u{11145}\u{11146}\u{111C9}\u{111CE}\u{111CF}\u{11241}\u{1133B}` +
  String.raw`\u{113B8}-\u{113C0}\u{113C2}\u{113C5}\u{113C7}-\u{113CA}\u{113CC}-\u{113D0}\u{113D2}\u{113E1}\u{113E2}` +
  String.raw`\u{1145E}\u{1182C}-\u{1183A}\u{11930}-\u{11935}\u{11937}\u{11938}\u{1193B}-\u{1193E}\u{11940}\u{11942}` +
  String.raw`\u{11943}\u{119D1}-\u{119D7}\u{119DA}-\u{119E0}\u{119E4}\u{11A01}-\u{11A0A}\u{11A33}-\u{11A39}` +
  String.raw`\u{11A3B}-\u{11A3E}\u{11A47}\u{11A51}-\u{11A5B}\u{11A8A}-\u{11A99}\u{11B60}-\u{11B67}\u{11D31}-\u{11D36}` +
  String.raw`\u{11D3A}\u{11D3C}\u{11D3D}\u{11D3F}-\u{11D45}\u{11D47}\u{11D8A}-\u{11D8E}\u{11D90}\u{11D91}` +
  String.raw`\u{11D93}-\u{11D97}\u{11EF3}-\u{11EF6}\u{11F00}\u{11F01}\u{11F03}\u{11F34}-\u{11F3A}\u{11F3E}-\u{11F42}` +
  String.raw`\u{11F5A}\u{13440}\u{13447}-\u{13455}\u{1611E}-\u{1612F}\u{16F4F}\u{16F7F}-\u{16F87}\u{16FE4}\u{16FF0}` +
  String.raw`\u{16FF1}\u{1CF00}-\u{1CF2D}\u{1CF30}-\u{1CF46}\u{1E08F}\u{1E130}-\u{1E136}\u{1E2AE}\u{1E2EC}-\u{1E2EF}` +
  String.raw`\u{1E4EC}-\u{1E4EF}\u{1E5EE}\u{1E5EF}\u{1E6E3}\u{1E6E6}\u{1E6EE}\u{1E6EF}\u{1E6F5}`;

/** Not yet `P` then. */
export const LATER_PUNCTUATION =
  String.raw`\u061D\u09FD\u0A76\u0C77\u0C84\u1B4E\u1B4F\u1B7D-\u1B7F\u2E43-\u2E4F\u2E52-\u2E5D\u{10D6E}\u{10EAD}\u{10ED0}` +
  String.raw`\u{10F55}-\u{10F59}\u{10F86}-\u{10F89}\u{113D4}\u{113D5}\u{113D7}\u{113D8}\u{1144B}-\u{1144F}\u{1145A}` +
  String.raw`\u{1145B}\u{1145D}\u{11660}-\u{1166C}\u{116B9}\u{1183B}\u{11944}-\u{11946}\u{119E2}\u{11A3F}-\u{11A46}` +
  String.raw`\u{11A9A}-\u{11A9C}\u{11A9E}-\u{11AA2}\u{11B00}-\u{11B09}\u{11BE1}\u{11C41}-\u{11C45}\u{11C70}\u{11C71}` +
  String.raw`\u{11EF7}\u{11EF8}\u{11F43}-\u{11F4F}\u{11FFF}\u{12FF1}\u{12FF2}\u{16D6D}-\u{16D6F}\u{16E97}-\u{16E9A}` +
  String.raw`\u{16FE2}\u{1E5FF}\u{1E95E}\u{1E95F}`;

/** Without a compatibility form then. */
export const LATER_COMPATIBLE = String.raw`\u32FF\uA7F1-\uA7F4\uAB69\u{10781}-\u{10785}\u{10787}-\u{107B0}\u{107B2}-\u{107BA}\u{1CCD6}-\u{1CCF9}\u{1E030}-\u{1E06D}\u{1F16C}\u{1FBF0}-\u{1FBF9}`;
