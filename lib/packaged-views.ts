import { fileURLToPath } from 'node:url';

/**
 * The folder of our own views: beside `lib`, and beside `dist`, in whose top folder the build puts this
 * file's code.
 */
export const PACKAGED_VIEWS = fileURLToPath(new URL('../views', import.meta.url));
