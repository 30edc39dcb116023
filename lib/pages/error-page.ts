import type { Request, Response } from 'express';
import type { OAuthError } from '../errors.js';
import type { ReportedError } from '../http/report.js';
import type { RenderPage } from '../views.js';

/** An error on its way to a page. */
export interface PageError extends ReportedError {
  /** Who sent the request that failed: a client's link to the authorization endpoint (default), or the person by a form of ours. */
  readonly sender?: 'client' | 'person';
}

export type RenderError = (req: Request, res: Response, reported: PageError) => Promise<void>;

/** What a person reads: what happened, whose mistake it is, and what to do. */
interface PlainWords {
  readonly title: string;
  readonly message: string;
  readonly hint: string;
}

const CLIENT_HINT = 'You did nothing wrong. Go back to the application and try again; if it happens again, tell the people who make the application what the details below say.';
const UNKNOWN_CLIENT: PlainWords = {
  title: 'We do not know this application',
  message: 'The application that sent you here is not registered with this site, or it has been removed.',
  hint: CLIENT_HINT,
};
const WRONG_REQUEST: PlainWords = {
  title: 'The application asked in a wrong way',
  message: 'The application that sent you here made a request that this site cannot accept.',
  hint: CLIENT_HINT,
};
const SERVER_ERROR: PlainWords = {
  title: 'Something went wrong here',
  message: 'This site met a problem of its own.',
  hint: 'You did nothing wrong. Please try again; if it happens again, tell this site the request number below.',
};

const WORDS_BY_CODE: Readonly<Record<string, PlainWords>> = {
  invalid_client: UNKNOWN_CLIENT,
  unauthorized_client: { ...WRONG_REQUEST, message: 'The application that sent you here asked for something that it is not registered for.' },
  invalid_scope: { ...WRONG_REQUEST, message: 'The application that sent you here asked for a permission that does not exist or that it may not have.' },
  unsupported_response_type: { ...WRONG_REQUEST, message: 'The application that sent you here asked for a way of connecting that this site does not offer.' },
  server_error: SERVER_ERROR,
  temporarily_unavailable: {
    title: 'Please try again in a moment',
    message: 'This site cannot answer right now.',
    hint: 'You did nothing wrong, and nothing was lost: reload the page in a few seconds.',
  },
};

const WRONG_FORM: PlainWords = {
  title: 'This form could not be read',
  message: 'What was sent is not what our form sends, so nothing was changed.',
  hint: 'Go back, reload the page and try again.',
};
const WORDS_BY_STATUS: Readonly<Record<number, PlainWords>> = {
  404: { title: 'There is nothing here', message: 'The page does not exist, or it belongs to somebody else.', hint: 'Check the address, or that you are logged in with the right account.' },
  409: { title: 'Somebody was faster', message: 'The same thing was changed at the same moment, so your change was not made.', hint: 'Go back, reload the page and look at how it is now.' },
  413: { title: 'That was too much', message: 'What was sent is larger than our form allows, so nothing was changed.', hint: 'Go back, shorten it and try again.' },
};

/**
 * Renders an error as a page. The error's description is shown folded, for developers; its private half never.
 *
 * @see RFC 6749 §4.1.2.1: the authorization server SHOULD inform the resource owner of the error
 */
export function createRenderError({ renderPage }: { readonly renderPage: RenderPage }): RenderError {
  return async (req, res, { error, requestId, sender = 'client' }) => {
    res.set(error.headers);
    await renderPage(req, res, {
      view: 'error',
      status: statusOf(error),
      locals: { ...wordsFor(error, sender), error: error.error, description: error.description, requestId },
    });
  };
}

/** RFC 9110 §15.5.2: a 401 needs a challenge, and a page has none to give. */
function statusOf({ status, headers }: OAuthError): number {
  return status === 401 && headers['WWW-Authenticate'] === undefined ? 400 : status;
}

function wordsFor(error: OAuthError, sender: 'client' | 'person'): PlainWords {
  if (error.status === 429) return tooMany(error);
  const byStatus = WORDS_BY_STATUS[error.status];
  if (byStatus !== undefined) return byStatus;
  // a refusal is described for the person already: a form out of date, an account without the right
  if (error.error === 'access_denied') return { title: 'That is not possible', message: toSentence(error.description), hint: 'Nothing was changed.' };
  const byCode = Object.hasOwn(WORDS_BY_CODE, error.error) ? WORDS_BY_CODE[error.error] : undefined;
  if (byCode !== undefined) return byCode;
  if (error.status >= 500) return SERVER_ERROR;
  return sender === 'person' ? WRONG_FORM : WRONG_REQUEST;
}

function tooMany({ headers }: OAuthError): PlainWords {
  const seconds = Number(headers['Retry-After'] ?? 60);
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return { title: 'Too many tries', message: `That was tried too often in a short time. Please wait ${wait} and try again.`, hint: 'This protects accounts and this site from being tried out by machines.' };
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
