import type { Settings } from '../settings.js';

/** The host's login page, with the way back to a path on this site. */
export function loginPath({ login }: Pick<Settings, 'login'>, returnPath: string): string {
  return `${login.path}?${new URLSearchParams({ [login.returnParameter]: returnPath }).toString()}`;
}
