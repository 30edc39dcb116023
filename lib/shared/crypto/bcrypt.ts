import { lazy } from '../lazy.js';

/** bcrypt, loaded when somebody needs it: its binary takes 9 ms of CPU time, and many sites have no use for it. */
export const loadBcrypt = lazy(async () => (await import('bcrypt')).default);
