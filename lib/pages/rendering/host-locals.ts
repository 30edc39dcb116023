import type { Request, Response } from 'express';

/** What our views look for although a page need not give it. */
const OPTIONAL_LOCALS = [
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
/** Names that EJS and JavaScript use. */
const USED = ['Array', 'Math', 'Object', 'escapeFn', 'include', 'locals', 'rethrow'];

const NOT_THE_HOSTS: ReadonlySet<string> = new Set([...OPTIONAL_LOCALS, ...USED]);

/**
 * `app.locals` and `res.locals`, for the host's own views: without those that would break one of our pages, or change
 * what it says.
 */
export function hostLocalsOf(req: Request, res: Response): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries({ ...req.app.locals, ...res.locals }).filter(
      ([name]) => !NOT_THE_HOSTS.has(name) && !name.startsWith('__'),
    ),
  );
}
