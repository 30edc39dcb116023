import { fileURLToPath } from 'node:url';

import { describe } from '@jest/globals';

import { installLocked } from '../../support/install-locked.js';

/** The folder of the recipes' packages, and their list. */
export const FOLDER = fileURLToPath(new URL('.', import.meta.url));

const missing = await installLocked(FOLDER).then(
  () => '',
  (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
);

/** `describe`; without the packages the tests are skipped, and their title has the reason. */
export function describeInstalled(title: string, tests: () => void): void {
  if (missing === '') describe(title, tests);
  else describe.skip(`${title}${missing}`, tests);
}
