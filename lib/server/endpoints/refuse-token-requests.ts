import { type Request, type RequestHandler, Router } from 'express';

import { fieldOf } from '../../core/http/form-fields.js';
import { PageRefusal } from '../../core/http/page-refusal.js';
import { queryOf } from '../../core/http/query.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import { containsScannableToken } from '../../shared/crypto/scannable-tokens.js';
import type { Server } from '../server.js';

/**
 * Stands before every page for users: a request that brings a personal access token or service token ends there, with
 * or without a session. A Passport strategy of the site may take such a token for its user, and on these pages it
 * would allow apps more than it can do itself, or make, widen and list tokens. Tokens of other makers pass: proxies
 * send headers of their own.
 */
export function refuseTokenRequests(
  { report, rendering: { renderError } }: Pick<Server, 'report' | 'rendering'>,
  endpoint: string,
): Router {
  const refuse: RequestHandler = (req, _res, next) => {
    if (textsOf(req).some(containsScannableToken))
      throw new PageRefusal('a program with an access token cannot use the pages for people', {
        text: 'error.tokenOnPage',
        status: 403,
        reason: 'kind_not_allowed',
      });
    next();
  };
  return Router().use(refuse, pageErrors({ endpoint, report, renderError, sender: 'person' }));
}

/** Where strategies of sites look for tokens: the header in any scheme, the query, and a body that was read before. */
function textsOf(req: Request): readonly string[] {
  const { authorization = '' } = req.headers;
  const [, credentials = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const given = [
    authorization,
    Buffer.from(credentials, 'base64').toString(),
    fieldOf(queryOf(req), 'access_token'),
    fieldOf(req.body, 'access_token'),
  ];
  return given.flat().filter((text) => typeof text === 'string');
}
