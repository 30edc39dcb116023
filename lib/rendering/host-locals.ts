import type { Request, Response } from 'express';

/** What our views look for without a page having to give it. */
const ASKED_FOR = [
  'clientSecret',
  'device',
  'error',
  'fields',
  'hasOwnLayout',
  'languageSwitch',
  'layout',
  'loggedInAs',
  'logout',
  'nav',
  'note',
  'notice',
  'person',
  'problem',
  'script',
  'showValue',
  'siteLogo',
  'usage',
  'waiting',
];
/** What EJS and JavaScript have under these names. */
const USED = ['Array', 'Math', 'Object', 'escapeFn', 'include', 'locals', 'rethrow'];

const NOT_THE_HOSTS: ReadonlySet<string> = new Set([...ASKED_FOR, ...USED]);

/**
 * `app.locals` and `res.locals`, for views of the host's own: without those that would break a page of ours, or change
 * what it says.
 */
export function hostLocalsOf(req: Request, res: Response): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries({ ...req.app.locals, ...res.locals }).filter(
      ([name]) => !NOT_THE_HOSTS.has(name) && !name.startsWith('__'),
    ),
  );
}
