import { ar } from './ar.js';
import { de } from './de.js';
import { en, type MessageKey, type Messages } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ja } from './ja.js';

export type { MessageKey, Messages };
export { en };

/** The languages that come with the package: a new one is one file and one line here. */
export const SHIPPED_MESSAGES: Readonly<Record<string, Messages>> = { en, de, es, fr, ja, ar };
