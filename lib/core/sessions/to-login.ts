import type { Request, Response } from 'express';

import { pathOf } from '../../settings/endpoint-urls.js';
import type { LoginHints } from '../../settings/options/login-options.js';
import type { Settings } from '../../settings/settings.js';
import { redirect } from '../http/redirect.js';
import { needsReference, referenceTo } from './return-reference.js';
import { type ReturnToSettings, saveReturnTo, storableReturnTo } from './return-to.js';

export type ToLoginSettings = ReturnToSettings & Pick<Settings, 'login'>;

interface Leaving {
  readonly req: Request;
  readonly res: Response;
  /** 302, or 303 if a form may have been sent. */
  readonly status: 302 | 303;
  /** The path on this site to which the user is to come back. */
  readonly returnPath: string;
  readonly hints?: LoginHints;
}

/** Sends somebody to the site's login page, with the way back and hints for it. */
export function sendToLogin(
  settings: ToLoginSettings,
  { req, res, status, returnPath, hints = {} }: Leaving,
): void {
  const path = storableReturnTo(settings, req, returnPath);
  const isReferred = path !== undefined && needsReference(path) && isForRequest(settings, path);
  // the site's function first: if it fails, nobody is on the way to a login
  const address = settings.login.addressOf(req, isReferred ? referenceTo(path) : returnPath, hints);
  if (path !== undefined) saveReturnTo(settings, res, path);
  redirect(res, status, address);
}

/** Only the authorization endpoint follows references; the ways back to other pages are short. */
function isForRequest(settings: ToLoginSettings, path: string): boolean {
  return path.split('?')[0] === pathOf(settings, 'authorize');
}
