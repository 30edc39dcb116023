import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import { en, type MessageKey, type Messages } from './en.js';
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };

export type { MessageKey, Messages };
export { en };

/** The languages that come with the package: a new one is one file and one line here. */
export const SHIPPED_MESSAGES: Readonly<Record<string, Messages>> = { en, de, es, fr, ja, ar };
