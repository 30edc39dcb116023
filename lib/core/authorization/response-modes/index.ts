import { fragmentMode } from './fragment.js';
import { queryMode } from './query.js';
import type { ResponseMode } from './response-mode.js';

const BUILT_IN = [queryMode, fragmentMode];

/** The response modes by their names: a new one is one file and one line here. */
export const RESPONSE_MODES: ReadonlyMap<string, ResponseMode> = new Map(
  BUILT_IN.map((mode) => [mode.responseMode, mode]),
);

/** The requested mode, if it fits and can reach the client, or else that of the response type. */
export function chooseMode(
  modes: ReadonlyMap<string, ResponseMode>,
  requested: unknown,
  {
    defaultMode,
    redirectUri,
    state,
  }: { readonly defaultMode: string; readonly redirectUri: string; readonly state: string },
): ResponseMode {
  const mode = typeof requested === 'string' ? modes.get(requested) : undefined;
  if (mode?.fits(defaultMode) === true && mode.reaches?.(redirectUri, state) !== false) return mode;
  return modes.get(defaultMode) as ResponseMode;
}
