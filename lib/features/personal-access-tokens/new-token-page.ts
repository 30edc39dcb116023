import type { Request } from 'express';

import { consentClientOf } from '../../core/authorization/consent-client.js';
import type { ConsentPrompt } from '../../core/authorization/consent-digest.js';
import { NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
import {
  confirmationTokenOf,
  hasConfirmation,
  hasCsrfToken,
  personalCsrfTokenOf,
} from '../../core/http/csrf.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { mayRegister } from '../../pages/connected-apps/list-page.js';
import { describeRequest, describeRisks } from '../../pages/consent/describe-request.js';
import { redirectWithFlash } from '../../pages/flash-message.js';
import { accountNavigation } from '../../pages/navigation.js';
import { userIdOf, userNameOf } from '../../pages/person.js';
import { answerRefused, REFUSED_STATUS, takeRefused } from '../../pages/refused-forms.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { createGrantId } from '../../shared/crypto/secrets.js';
import { toOAuthError } from '../../shared/errors.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { describeExpiry } from './describe-expiry.js';
import {
  findOffer,
  idOf,
  readToken,
  readTokenValues,
  riskQuestionOf,
  type TokenFormResult,
  type TokenOffer,
  type TokenValues,
} from './token-form.js';
import { renderToken } from './token-page.js';
import { ownOf, pathOfNew, pathOfToken, stepOf, type TokensContext } from './tokens-context.js';

/** A form that did not make a token, as it is shown once more. */
interface RefusedToken {
  readonly values: TokenValues;
  /** Why no token was made although the form is right. */
  readonly refused?: 'tooMany' | 'policy';
  /** Whether the user is asked the second question. */
  readonly isToConfirm?: boolean;
  /** Whether the form is from another session: what was typed is shown, and nothing was done. */
  readonly isOutOfDate?: boolean;
}

/** Answers with the form, empty or as it was sent. */
export async function showNew(context: TokensContext, requestContext: RequestContext): Promise<void> {
  const { req, now } = requestContext;
  const userId = userIdOf(context.settings, req);
  const kind = kindIn(context, peekParameter(queryOf(req), 'kind'));
  const offer = await findOffer(context, { req, userId, kind, now });
  const refused = takeRefused<RefusedToken>(req, { path: pathOfNew(context, kind), userId }, now);
  await renderNew(context, requestContext, offer, refused);
}

/** Takes the form, and makes the token if nothing is wrong. */
export async function takeNew(context: TokensContext, requestContext: RequestContext): Promise<void> {
  const { settings, options, models } = context;
  const { req, res, now } = requestContext;
  const userId = userIdOf(settings, req);
  const kind = kindIn(context, textField(req.body, 'kind'));
  const offer = await findOffer(context, { req, userId, kind, now });
  const values = readTokenValues(req.body, offer);
  // shown again here: another site may have sent it, and must not put anything into the user's session
  if (!hasCsrfToken(req, userId))
    return renderNew(context, requestContext, offer, { values, isOutOfDate: true });
  const id = idOf(values.submission, userId);
  const path = pathOfToken(context, id);
  if ((await models.grants.findNamedToken(id, ownOf(kind, userId), now)) !== null)
    return redirectWithFlash(requestContext, { path, userId }, { done: 'already_made' });
  const read = await readToken(values, offer, { options, user: req.user!, userId, now });
  const refuse = (refused: RefusedToken) =>
    answerRefused(requestContext, { path: pathOfNew(context, kind), userId, stored: refused }, () =>
      renderNew(context, requestContext, offer, refused),
    );
  // the second page can lead back to the form
  if (read.token === undefined || hasField(req.body, 'back')) return refuse({ values });
  if (read.isHigh && !hasConfirmation(req, userId, riskQuestionOf(values)))
    return refuse({ values, isToConfirm: true });
  try {
    const created = await context.service.create({ ...read.token, id }, stepOf(context, req, now));
    res.location(path);
    // answered by the POST: the value is in this one answer, and a 303 would put it into a session or an address
    await renderToken(context, requestContext, { token: created, value: created.token, status: 201 });
  } catch (failure) {
    const { reason, status } = toOAuthError(failure);
    if (reason === 'too_many_tokens') return refuse({ values, refused: 'tooMany' });
    if (reason === 'refused_by_policy') return refuse({ values, refused: 'policy' });
    // the same form, sent twice at the same moment
    if (status === 409) return redirectWithFlash(requestContext, { path, userId }, { done: 'already_made' });
    throw failure;
  }
}

/** Anything but a service token where users can make them is a token for the person. */
function kindIn({ options }: TokensContext, kind: string | undefined): NamedTokenKind {
  return kind === 'service' && options.serviceTokens ? 'service' : 'personal';
}

async function renderNew(
  context: TokensContext,
  requestContext: RequestContext,
  offer: TokenOffer,
  refused: RefusedToken | undefined,
): Promise<void> {
  const { settings, options } = context;
  const isOutOfDate = refused?.isOutOfDate === true;
  const { req, now } = requestContext;
  const user = req.user!;
  const userId = userIdOf(settings, req);
  const values = refused?.values ?? emptyValues(offer.kind, options.ttl);
  const read =
    refused === undefined || isOutOfDate
      ? undefined
      : await readToken(values, offer, { options, user, userId, now });
  const form = { offer, values, read, refused, isOutOfDate };
  return refused?.isToConfirm === true && read?.token !== undefined
    ? renderConfirm(context, requestContext, form)
    : renderForm(context, requestContext, form);
}

interface DisplayedForm {
  readonly offer: TokenOffer;
  readonly values: TokenValues;
  readonly read: TokenFormResult | undefined;
  readonly refused: RefusedToken | undefined;
  readonly isOutOfDate: boolean;
}

async function renderForm(
  context: TokensContext,
  { req, res, now }: RequestContext,
  { offer, values, read, refused, isOutOfDate }: DisplayedForm,
): Promise<void> {
  const { settings, options, renderPage, root } = context;
  const userId = userIdOf(settings, req);
  const isDeveloper = await mayRegister(context, req, res);
  const isWrong = read !== undefined;
  await renderPage(req, res, {
    view: 'access-token-form',
    status: isOutOfDate ? 403 : isWrong ? REFUSED_STATUS : 200,
    locals: async (translator) => ({
      title: translator.text(values.kind === 'service' ? 'tokens.newService' : 'tokens.new'),
      nav: accountNavigation(isDeveloper, 'access-tokens', settings, translator),
      csrfToken: personalCsrfTokenOf(req, userId),
      action: root,
      back: root,
      values,
      notice: isOutOfDate ? translator.text('form.outOfDate') : undefined,
      refusal:
        refused?.refused === 'tooMany'
          ? translator.text('tokens.tooMany', { count: options.maxTokens })
          : refused?.refused && translator.text('tokens.refused'),
      problems: (read?.problems ?? []).map(({ field, text }) => ({ field, problem: translator.text(text) })),
      isPickWrong: (read?.toPick ?? []).length > 0,
      // scopes, details and choices as on the consent page, but nothing is ticked in advance
      ...(await describeRequest(
        displayedOf(offer, values.name),
        {
          user: req.user!,
          userId,
          consented: [],
          selectedBefore: {},
          problem: {
            toPick: read?.toPick ?? [],
            given: { scopes: values.scopes, details: values.details, picks: read ? values.picks : {} },
          },
        },
        offer.rules,
        translator,
      )),
      resources: resourcesOf(context, translator.text),
      expiry: describeExpiry(values, { kind: values.kind, options, now, translator }),
      userName: userNameOf(settings, req),
    }),
  });
}

function displayedOf({ kind, scopes, details }: TokenOffer, name: string): ConsentPrompt {
  const client = consentClientOf({ clientId: NAMED_GRANT_TYPES[kind], name });
  return { client, scopes, resources: [], authorizationDetails: details };
}

/**
 * The APIs that such a token can be for. One that expects JWTs does not know it, and that of the site itself is there
 * once, whether it is named among the resources or not.
 */
function resourcesOf({ settings }: TokensContext, text: Translator['text']) {
  const {
    resources,
    security: { requireResource },
    siteName,
    issuer,
  } = settings;
  const others = [...resources].filter(
    ([resource, { accessTokenFormat }]) =>
      accessTokenFormat !== 'jwt' && (requireResource || !isSameResource(resource, issuer)),
  );
  if (others.length === 0) return [];
  return [
    ...(requireResource ? [] : [{ value: '', label: text('tokens.resourceOwn', { site: siteName }) }]),
    ...others.map(([value, { name }]) => ({ value, label: name ?? value })),
  ];
}

/** The second question, for a token that could do harm. */
async function renderConfirm(
  context: TokensContext,
  { req, res }: RequestContext,
  { offer, values }: DisplayedForm,
): Promise<void> {
  const { settings, renderPage, root } = context;
  const userId = userIdOf(settings, req);
  await renderPage(req, res, {
    view: 'access-token-confirm',
    locals: async (translator) => ({
      title: translator.text('tokens.confirmHeading'),
      action: root,
      csrfToken: personalCsrfTokenOf(req, userId),
      confirmationToken: confirmationTokenOf(req, userId, riskQuestionOf(values)),
      values,
      ...(await describeRisks(
        displayedOf(offer, values.name),
        { toConfirm: values.scopes, details: values.details, picks: values.picks },
        offer.rules,
        translator,
      )),
      userName: userNameOf(settings, req),
    }),
  });
}

function emptyValues(kind: NamedTokenKind, ttl: number): TokenValues {
  return {
    kind,
    submission: createGrantId(),
    name: '',
    purpose: '',
    resource: '',
    scopes: [],
    details: [],
    picks: {},
    expires: String(kind === 'service' ? 90 * 86_400 : ttl),
    expiresOn: '',
  };
}

/** Whether a request is one of a program with a token: no token makes another, or sees the pages at all. */
export function bringsToken({ headers: { authorization = '' } }: Request): boolean {
  return /^(bearer|dpop) /i.test(authorization);
}
