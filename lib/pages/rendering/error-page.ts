import { UnregisteredRedirectUri } from '../../core/authorization/resolve-request.js';
import { BlockedClient } from '../../core/clients/status/blocked-client.js';
import { PendingClient } from '../../core/clients/status/pending-client.js';
import { ChangedField } from '../../core/http/carried-text.js';
import { PageRefusal, type RenderError } from '../../core/http/page-error.js';
import { InsecureTransport } from '../../core/http/secure-transport.js';
import type { MessageKey } from '../../messages/index.js';
import { messageOf, type OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { sanitizeForLog } from '../../shared/log-text.js';
import { exactTargetOf } from './form-targets.js';
import type { Translator } from './translator.js';
import type { RenderPage } from './views.js';

/** The texts for the user: the event, its cause, and advice. */
type Texts = Readonly<Record<'title' | 'message' | 'hint', MessageKey>>;

type TextsNamed = { [Key in MessageKey]: Key extends `error.${infer Name}Hint` ? Name : never }[MessageKey];

/** The three texts of one name. */
function texts(name: TextsNamed): Texts {
  return {
    title: `error.${name}` as MessageKey,
    message: `error.${name}Message` as MessageKey,
    hint: `error.${name}Hint`,
  };
}

const WRONG_REQUEST: Texts = {
  title: 'error.wrongRequest',
  message: 'error.wrongRequestMessage',
  hint: 'error.client',
};
const SERVER_ERROR: Texts = {
  title: 'error.server',
  message: 'error.serverMessage',
  hint: 'error.site',
};

/** Reasons whose advice differs from that of their error code. */
const TEXTS_BY_REASON: Partial<Readonly<Record<FailureReason, Texts>>> = {
  client_registration_ended: texts('registrationEnded'),
  // a client id that is a URL does not change when the user connects it again; a retry fetches the document
  client_document_unusable: WRONG_REQUEST,
  client_not_let_in: {
    title: 'error.blocked',
    message: 'error.blockedApplication',
    hint: 'error.refusedHint',
  },
};
const TEXTS_BY_CODE: Readonly<Record<string, Texts>> = {
  invalid_client: texts('unknownClient'),
  unauthorized_client: { ...WRONG_REQUEST, message: 'error.unauthorizedClientMessage' },
  invalid_scope: { ...WRONG_REQUEST, message: 'error.invalidScopeMessage' },
  unsupported_response_type: { ...WRONG_REQUEST, message: 'error.responseTypeMessage' },
  // RFC 9126 §4: a request_uri works once, and for a short time
  invalid_request_uri: texts('requestOver'),
  server_error: SERVER_ERROR,
  temporarily_unavailable: texts('unavailable'),
};
const TEXTS_BY_KIND = [
  [InsecureTransport, texts('insecure')],
  [BlockedClient, texts('blocked')],
  [PendingClient, texts('pending')],
  [ChangedField, texts('wrongForm')],
] as const;
const TEXTS_BY_STATUS: Readonly<Record<number, Texts>> = {
  404: texts('notFound'),
  409: texts('conflict'),
  413: texts('tooLarge'),
};
const DEFAULT_WAIT = 60;
/** Maximum depth of causes. */
const MAX_CAUSES = 5;

/**
 * Renders an error as a page. The description is folded, for developers; the page has the detail of every error only if
 * `showsDetail`.
 *
 * @see RFC 6749 §4.1.2.1: the authorization server SHOULD inform the resource owner of the error
 */
export function createRenderError(renderPage: RenderPage, showsDetail = () => false): RenderError {
  return async (
    req,
    res,
    { error, requestId, sender = 'client', client, uiLocales, isBare = false, ownClientPath },
  ) => {
    res.set(error.headers);
    // the text of the log: the detail and each cause that it does not contain yet, with secrets masked
    let detail = '';
    if (showsDetail()) {
      detail = error.detail ?? '';
      let beneath = error.cause;
      for (let depth = 0; depth < MAX_CAUSES && beneath !== undefined && beneath !== null; depth += 1) {
        // Node's errors about several addresses have only a code
        const said = sanitizeForLog(messageOf(beneath) || ((beneath as { code?: string }).code ?? ''));
        if (!detail.includes(said)) detail += detail === '' ? said : `; cause: ${said}`;
        beneath = (beneath as { cause?: unknown }).cause;
      }
    }
    // the host of a web address; any other address leads to an app
    const target = client && new URL(client.redirectUri);
    const host = target?.protocol === 'https:' ? target.host : undefined;
    await renderPage(req, res, {
      view: 'error',
      // RFC 9110 §15.5.2: a 401 needs a challenge, which pages lack
      status: error.status === 401 && error.headers['WWW-Authenticate'] === undefined ? 400 : error.status,
      uiLocales,
      isBare,
      formTargets: client?.fields === undefined ? [] : [exactTargetOf(client.address)],
      locals: (translator) => ({
        ...(client !== undefined && error.error === 'access_denied'
          ? {
              title: translator.text('error.denied'),
              message: translator.text('error.deniedMessage'),
              hint: translator.text('error.refusedHint'),
            }
          : explain(error, sender, translator)),
        clientLink: client && {
          uri: client.address,
          fields: client.fields,
          host: host ?? translator.text('consent.device'),
        },
        // for the developer of a request without a valid redirect URI
        application:
          error instanceof UnregisteredRedirectUri
            ? { name: error.client.name, redirectUri: error.redirectUri, href: ownClientPath }
            : undefined,
        homeHost: req.hostname,
        error: error.error,
        description: error.description,
        requestId,
        detail: detail || undefined,
      }),
    });
  };
}

function explain(error: OAuthError, sender: 'client' | 'person', { text, span }: Translator) {
  const textsByStatus = error.status === 429 ? texts('tooMany') : TEXTS_BY_STATUS[error.status];
  // a refusal of a form or an account has a description for users
  if (error.error === 'access_denied' && textsByStatus === undefined) {
    // makes the description a sentence
    const { description } = error;
    const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}${/[.!?]$/.test(description) ? '' : '.'}`;
    const message = error instanceof PageRefusal ? text(error.text) : sentence;
    return { title: text('error.refused'), message, hint: text('error.refusedHint') };
  }
  const { title, message, hint } =
    (error.status === 429 ? textsByStatus : undefined) ??
    TEXTS_BY_KIND.find(([kind]) => error instanceof kind)?.[1] ??
    (error.reason && TEXTS_BY_REASON[error.reason]) ??
    // users cannot shorten the request of a client
    (sender === 'person' || error.status !== 413 ? textsByStatus : undefined) ??
    (Object.hasOwn(TEXTS_BY_CODE, error.error) ? TEXTS_BY_CODE[error.error] : undefined) ??
    (error.status >= 500 ? SERVER_ERROR : sender === 'person' ? texts('wrongForm') : WRONG_REQUEST);
  const time = span(Number(error.headers['Retry-After'] ?? DEFAULT_WAIT));
  const client = error instanceof BlockedClient || error instanceof PendingClient ? error.client.name : '';
  return { title: text(title), message: text(message, { time, client }), hint: text(hint) };
}
