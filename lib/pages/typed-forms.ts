import { createSessionFlash } from '../core/sessions/session-flash.js';

/** For one form: three of them fit in a session store, and forms that people fill in are far smaller. */
const MAX_BYTES = 8 * 1024;

/** What people have typed into forms that are refused (`refused-forms.ts`) or not finished (`form-drafts.ts`). */
export const typedForms = createSessionFlash<unknown>({
  member: 'oauthRefusedForms',
  max: 3,
  maxBytes: MAX_BYTES,
});
