/** The address of the grammar engine's file, which is loaded as it is (see load-xgrammar.ts). */
declare module '@mlc-ai/web-xgrammar/lib/index.js?url&no-inline' {
  const url: string;
  export default url;
}
