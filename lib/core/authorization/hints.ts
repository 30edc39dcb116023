import type { LoginHints } from '../../settings/options/login-options.js';
import { type Form, readParameters } from '../../shared/protocol/parameters.js';

/** Hints that may help the user. Nothing depends on them, so none is ever refused. (OpenID Connect Core §3.1.2.1) */
export interface Hints {
  readonly loginHint: string | undefined;
  /** The languages that the user reads, the best first. */
  readonly uiLocales: readonly string[];
  /** The authentication context classes that the client prefers, as text. */
  readonly acrValues: string | undefined;
}

/** Characters; no real hint is longer, and the address of the login page would have it twice. */
export const MAX_HINT_LENGTH = 200;

const NAMES = ['login_hint', 'ui_locales', 'acr_values'] as const;

export function parseHints(query: Form): Hints {
  return hintsIn(readParameters(query, NAMES).params);
}

export function hintsIn(params: Partial<Record<(typeof NAMES)[number], string>>): Hints {
  const { login_hint: loginHint, acr_values: acrValues } = params;
  return {
    loginHint: (loginHint?.length ?? 0) > MAX_HINT_LENGTH ? undefined : loginHint,
    uiLocales: parseUiLocales(params.ui_locales),
    acrValues: (acrValues?.length ?? 0) > MAX_HINT_LENGTH ? undefined : acrValues,
  };
}

/** Parses a list of language tags, the best first; empty if the value is no list (OpenID Connect Core §3.1.2.1). */
export function parseUiLocales(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((tag) => tag !== '') : [];
}

export function formatHints({ loginHint, uiLocales, acrValues }: Hints): LoginHints {
  const locales = uiLocales.join(' ');
  return {
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(locales !== '' && locales.length <= MAX_HINT_LENGTH && { ui_locales: locales }),
    ...(acrValues !== undefined && { acr_values: acrValues }),
  };
}
