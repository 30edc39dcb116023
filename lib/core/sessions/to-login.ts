import type { Request, Response } from 'express';

import type { LoginHints } from '../../settings/options/login-options.js';
import type { Settings } from '../../settings/settings.js';
import { redirect } from '../http/redirect.js';
import { type ReturnToSettings, saveReturnTo } from './return-to.js';

export type ToLoginSettings = ReturnToSettings & Pick<Settings, 'login'>;

interface Leaving {
  readonly req: Request;
  readonly res: Response;
  /** 302, or 303 if a form may have been sent. */
  readonly status: 302 | 303;
  /** The path on this site to which the person is to come back. */
  readonly returnPath: string;
  readonly hints?: LoginHints;
}

/** Sends somebody to the host's login page, with the way back and hints for it. */
export function sendToLogin(
  settings: ToLoginSettings,
  { req, res, status, returnPath, hints = {} }: Leaving,
): void {
  const address = settings.login.addressOf(req, returnPath, hints);
  saveReturnTo(settings, { req, res }, returnPath);
  redirect(res, status, address);
}
