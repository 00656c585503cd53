/** Loads the parts of the command line that need Playwright. @module */

/**
 * @param command that needs it
 * @param load imports a module that imports Playwright
 * @throws Error that says how to install it
 */
export async function importPlaywright<Module>(command: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw thrown;
    throw new Error(`\`inpage ${command}\` needs the package \`playwright\`: run \`npm install playwright\` first.`, {
      cause: thrown,
    });
  }
}
