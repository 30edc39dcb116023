import { consentClientOf, type ConsentPrompt } from '../../core/authorization/consent-client.js';
import { NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
import { confirmationTokenOf, hasConfirmation } from '../../core/http/csrf.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import { queryOf } from '../../core/http/query.js';
import { type AccountForm, accountPath, renderAccountPage, type Visit } from '../../pages/account-pages.js';
import { describeRequest, describeRisks } from '../../pages/consent/describe-request.js';
import { answerRefused, redirectWithFlash, takeRefused } from '../../pages/form-answers.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { createGrantId } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { toOAuthError } from '../../shared/errors.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { MAX_TOKENS } from './options.js';
import {
  findOffer,
  idOf,
  readToken,
  readTokenValues,
  type TokenOffer,
  type TokenValues,
} from './token-form.js';
import { NO_EXPIRY } from './token-info.js';
import { pathOfNew, renderToken, type TokensContext } from './token-page.js';
import { findMaxLifetime } from './token-rules.js';

/** A refused form, which the page displays again. */
interface RefusedToken {
  readonly values: TokenValues;
  /** Why a valid form made no token. */
  readonly refusal?: 'tokens.tooMany' | 'tokens.refused';
  /** Whether the page asks the user to confirm. */
  readonly isToConfirm?: boolean;
  /** Whether the form is from another session: the page displays its values, and changes nothing. */
  readonly isOutOfDate?: boolean;
}

export async function showNew(context: TokensContext, visit: Visit): Promise<void> {
  const kind = kindIn(context, peekParameter(queryOf(visit.req), 'kind'));
  const offer = await findOffer(context, visit, kind);
  const refused = takeRefused<RefusedToken>(visit, pathOfNew(context, kind));
  await renderNew(context, visit, offer, refused);
}

/** `personal`, unless users can make service tokens and the form says `service`. */
function kindIn({ options }: TokensContext, kind: string | undefined): NamedTokenKind {
  return kind === 'service' && options.serviceTokens ? 'service' : 'personal';
}

/** Handles the form, and makes the token if all values are valid. */
export const newToken: AccountForm<TokensContext> = {
  survivesLogout: true,
  // responds without a redirect: a form of another site must not write to the user's session
  isFromAnywhere: true,
  async redisplay(context, visit) {
    const offer = await findOffer(context, visit, kindIn(context, textField(visit.req.body, 'kind')));
    const values = readTokenValues(visit.req.body, offer);
    await renderNew(context, visit, offer, { values, isOutOfDate: true });
  },
  async submit(context, visit) {
    const { req, res, userId, now } = visit;
    const kind = kindIn(context, textField(req.body, 'kind'));
    const offer = await findOffer(context, visit, kind);
    const values = readTokenValues(req.body, offer);
    const id = idOf(values.submission, userId);
    const path = accountPath(context, id);
    const of = kind === 'service' ? { ownerId: userId } : { userId };
    if ((await context.models.grants.findNamedToken(id, of, now)) !== null)
      return redirectWithFlash(visit, path, { done: 'already_made' });
    const { token, isHigh } = await readToken(context, visit, values, offer);
    const refuse = (refused: RefusedToken) =>
      answerRefused(visit, { path: pathOfNew(context, kind), value: refused }, () =>
        renderNew(context, visit, offer, refused),
      );
    // the confirmation page has a button back to the form
    if (token === undefined || hasField(req.body, 'back')) return refuse({ values });
    // a confirmation of other values does not count
    if (isHigh && !hasConfirmation(req, userId, JSON.stringify(values)))
      return refuse({ values, isToConfirm: true });
    try {
      const created = await context.service.create({ ...token, id }, context.actOf(visit));
      res.location(path);
      // the POST renders the value: only this response has it, and a 303 would put it into a session or an address
      await renderToken(context, visit, { token: created, value: created.token, status: 201 });
    } catch (failure) {
      const { reason, status } = toOAuthError(failure);
      if (reason === 'too_many_tokens') return refuse({ values, refusal: 'tokens.tooMany' });
      if (reason === 'refused_by_policy') return refuse({ values, refusal: 'tokens.refused' });
      // the same form, sent twice at once
      if (status === 409) return redirectWithFlash(visit, path, { done: 'already_made' });
      throw failure;
    }
  },
};

async function renderNew(
  context: TokensContext,
  visit: Visit,
  offer: TokenOffer,
  refused: RefusedToken | undefined,
): Promise<void> {
  const { options, root, settings } = context;
  const { kind, scopes, details, rules } = offer;
  const { isOutOfDate = false } = refused ?? {};
  const values: TokenValues = refused?.values ?? {
    kind,
    submission: createGrantId(),
    name: '',
    purpose: '',
    resource: '',
    scopes: [],
    details: [],
    picks: {},
    expires: String(kind === 'service' ? 90 * DAY : options.ttl),
    expiresOn: '',
  };
  const read =
    refused === undefined || isOutOfDate ? undefined : await readToken(context, visit, values, offer);
  const client = consentClientOf({ clientId: NAMED_GRANT_TYPES[kind], name: values.name });
  const displayed: ConsentPrompt = { client, scopes, resources: [], authorizationDetails: details };

  // the confirmation page, for a token with high-risk scopes
  if (refused?.isToConfirm === true && read?.token !== undefined)
    return renderAccountPage(context, visit, {
      view: 'access-token-confirm',
      locals: async (translator) => ({
        title: translator.text('tokens.confirmHeading'),
        nav: undefined,
        action: root,
        confirmationToken: confirmationTokenOf(visit.req, visit.userId, JSON.stringify(values)),
        values,
        ...(await describeRisks(displayed, { ...values, toConfirm: values.scopes }, rules, translator)),
      }),
    });

  const { problems = [], toPick = [] } = read ?? {};
  // the APIs of opaque tokens; an API that expects JWTs cannot check these
  const { siteName, issuer, security } = settings;
  const { requireResource } = security;
  const others = [...settings.resources]
    .filter(([, { accessTokenFormat }]) => accessTokenFormat !== 'jwt')
    .filter(([resource]) => requireResource || !isSameResource(resource, issuer))
    .map(([value, { name }]) => ({ value, label: name ?? value }));
  await renderAccountPage(context, visit, {
    view: 'access-token-form',
    isOutOfDate,
    isRefused: read !== undefined,
    locals: async (translator) => {
      const { text } = translator;
      // the site's API appears once, whether or not it is in `resources`
      const ownApi = { value: '', label: text('tokens.resourceOwn', { site: siteName }) };
      const resources = others.length > 0 && !requireResource ? [ownApi, ...others] : others;
      return {
        title: text(values.kind === 'service' ? 'tokens.newService' : 'tokens.new'),
        action: root,
        back: root,
        values,
        refusal: refused?.refusal && text(refused.refusal, { count: MAX_TOKENS }),
        problems: problems.map((problem) => ({ field: problem.field, problem: text(problem.text) })),
        isPickWrong: toPick.length > 0,
        // scopes, details and choices as on the consent page, but nothing is ticked in advance
        ...(await describeRequest(
          displayed,
          {
            user: visit.req.user!,
            userId: visit.userId,
            consented: [],
            selectedBefore: {},
            problem: {
              toPick,
              given: { scopes: values.scopes, details: values.details, picks: read ? values.picks : {} },
            },
          },
          rules,
          translator,
        )),
        resources,
        expiry: describeExpiry(context, visit, values, translator),
      };
    },
  });
}

const DAY = 86_400;
/** Lifetimes in seconds that the form offers as choices. */
const SPANS = [7 * DAY, 30 * DAY, 90 * DAY];

function describeExpiry(
  { options }: TokensContext,
  { now }: Visit,
  { kind, expires, expiresOn }: TokenValues,
  { text, span, day }: Translator,
) {
  const longest = findMaxLifetime({ kind, options, now });
  const spans = [...new Set(kind === 'service' ? SPANS : [...SPANS, options.ttl])]
    .filter((seconds) => seconds <= longest)
    .sort((one, other) => one - other);
  const choices: { value: string; label: string; explanation?: string }[] = spans.map((seconds) => ({
    value: String(seconds),
    label: text('tokens.expiryIn', { span: span(seconds) }),
  }));
  if (kind === 'service' || options.maxTtl === false)
    choices.push({
      value: 'never',
      label: text('tokens.expiryNever'),
      explanation: text('tokens.expiryNeverMeaning'),
    });
  // the last day whose end lies within the maximum lifetime; browsers support years up to 9999
  const last = new Date(
    Math.min(addSeconds(now, longest - DAY).getTime(), addSeconds(NO_EXPIRY, -DAY).getTime()),
  );
  const dayIn = (date: Date) => date.toISOString().slice(0, 10);
  return {
    choices: choices.map((choice) => ({ ...choice, isChosen: choice.value === expires })),
    /** Absent if the maximum lifetime ends before the end of today. */
    date: last < now ? undefined : { value: expiresOn, min: dayIn(now), max: dayIn(last), last: day(last) },
    isDate: expires === 'date',
  };
}
