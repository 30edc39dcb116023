import type { en } from './en.js';

/** The texts of `en.ts` beside this file, in one language. */
export type ApplicationMessages = Readonly<Record<keyof typeof en, string>>;
