import type { Settings } from '../settings/settings.js';

/** The host's login page, with the way back to a path on this site, and what may help the person there. */
export function loginPath(
  { login }: Pick<Settings, 'login'>,
  returnPath: string,
  hints: Readonly<Record<string, string>> = {},
): string {
  return `${login.path}?${new URLSearchParams({ [login.returnParameter]: returnPath, ...hints }).toString()}`;
}
