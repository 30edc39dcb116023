import type { Request, RequestHandler, Response } from 'express';

import { hasCsrfToken, verifyCsrfToken } from '../core/http/csrf.js';
import { formBody } from '../core/http/form-body.js';
import { handlePage } from '../core/http/handle.js';
import { isFromSameOrigin } from '../core/http/same-origin.js';

/** Answers a request for a page, or a form of one, at this moment. */
export type PageHandler = (req: Request, res: Response, now: Date) => Promise<void>;

export interface FormHandlerOptions {
  /** Whom a form has to be made for: the user who is logged in. */
  readonly userIdOf: (req: Request) => string;
  /** Counts the forms that are taken; throws if it is one too many. Default: nothing is counted. */
  readonly limit?: (req: Request) => Promise<void>;
}

/**
 * Makes the handlers of forms of pages; they stand behind `requireLogin`. A form is submitted only if the user was
 * shown it in this session (RFC 6749 §10.12). A form of another session that a page of this site has sent is displayed
 * again with what was typed, if it is one that users fill in: nothing is done, and nothing is put into the session.
 */
export function createFormHandler({ userIdOf, limit }: FormHandlerOptions) {
  return function formHandler(submit: PageHandler, redisplay?: PageHandler): RequestHandler[] {
    return [
      ...formBody(),
      handlePage(async (req, res, now) => {
        const userId = userIdOf(req);
        if (redisplay !== undefined && isFromSameOrigin(req) && !hasCsrfToken(req, userId))
          return redisplay(req, res, now);
        verifyCsrfToken(req, userId);
        await limit?.(req);
        await submit(req, res, now);
      }),
    ];
  };
}
