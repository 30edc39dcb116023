import { fragmentMode } from './fragment.js';
import { queryMode } from './query.js';
import type { ResponseMode } from './response-mode.js';

const BUILT_IN = [queryMode, fragmentMode];

/** The response modes by their names: a new one is one file and one line here. */
export const RESPONSE_MODES: ReadonlyMap<string, ResponseMode> = new Map(
  BUILT_IN.map((mode) => [mode.responseMode, mode]),
);
