import type * as Jose from 'jose';

import { lazy } from '../lazy.js';

/**
 * All of jose, loaded when the first JWT is signed or verified: a site without JWTs does not wait for it when it
 * starts.
 */
export const loadJose: () => Promise<typeof Jose> = lazy(() => import('jose'));
