import { type Mutant, mutantsOf } from './mutant.js';

const TOKENS = ['features/personal-access-tokens/tokens.test.ts'];
const PAGES = ['features/personal-access-tokens/pages.test.ts'];
const LEAKED = ['features/personal-access-tokens/leaked-tokens.test.ts'];
const ROUTES = ['features/personal-access-tokens/guarded-routes.test.ts'];
const ON_PAGES = ['attacks/tokens-on-pages.test.ts'];
const NOTIFICATIONS = ['features/notifications/notifications.test.ts'];

/** Tokens that people make for programs of their own: whose they are, what they may do, how they end. */
export const PERSONAL_ACCESS_TOKENS: readonly Mutant[] = [
  ...mutantsOf('shared/crypto/scannable-tokens.ts', TOKENS, [
    {
      breaks: 'a text with a wrong checksum is no token',
      from: '|| checksumOf(`${prefix}${body}`) !== checksum)',
      to: ')',
    },
  ]),
  ...mutantsOf('server/endpoints/mount.ts', ON_PAGES, [
    {
      breaks: 'every page for people has this check before it',
      from: 'refuseTokenRequests(server, name), router);',
      to: 'router);',
    },
  ]),
  ...mutantsOf('storage/grants/named-token-steps.ts', PAGES, [
    {
      breaks: 'a personal token is its person’s alone',
      from: ': { userId: of.userId, grantType: NAMED_GRANT_TYPES.personal };',
      to: ': { grantType: NAMED_GRANT_TYPES.personal };',
    },
    {
      breaks: 'a service token is for its owners alone',
      from: "? { 'namedToken.owners': of.ownerId, grantType: NAMED_GRANT_TYPES.service }",
      to: '? { grantType: NAMED_GRANT_TYPES.service }',
    },
    {
      breaks: 'of several replacements at once one counts',
      from: "{ _id: grantId, 'namedToken.rotations': rotations, blockedAt: { $exists: false }, ...live(now) },",
      to: '{ _id: grantId, blockedAt: { $exists: false }, ...live(now) },',
    },
    {
      breaks: 'to know the id of a token ends nothing',
      from: 'accessTokens: { $elemMatch: { hash, expiresAt: { $gt: now } } },',
      to: '',
      seenBy: LEAKED,
    },
    {
      breaks: 'a token that is blocked gets no new value',
      from: "{ _id: grantId, 'namedToken.rotations': rotations, blockedAt: { $exists: false }, ...live(now) },",
      to: "{ _id: grantId, 'namedToken.rotations': rotations, ...live(now) },",
      seenBy: ROUTES,
    },
    {
      breaks: 'of several processes one tells of a token that expires',
      from: 'if (isOwn) leased.push(toGrant(document));',
      to: 'leased.push(toGrant(document));',
      seenBy: NOTIFICATIONS,
    },
  ]),
  ...mutantsOf('core/grants/use-named-token.ts', ROUTES, [
    {
      breaks: 'whoever may refresh no more may use the token no more',
      from: 'const allowed = await ask(policy, grant, { scopes, now });',
      to: 'const allowed = scopes;',
    },
    {
      breaks: 'what was picked has to hold',
      from: 'await endIfLost(grant, now);',
      to: '',
    },
    {
      breaks: 'the calls of a token are counted',
      from: 'if (!isRecheck) await calls.consume(grant.grantId);',
      to: '',
    },
  ]),
  ...mutantsOf('core/guard/token-checks.ts', ROUTES, [
    {
      breaks: 'a route lets in the kinds of token that it names',
      from: 'if (kinds?.includes(kind) === false)',
      to: 'if (kinds === null)',
    },
  ]),
  ...mutantsOf('features/personal-access-tokens/leaked-token-endpoint.ts', LEAKED, [
    {
      breaks: 'only the whole value says of a token that it is one of this site',
      from: '.some(({ hash: stored }) => stored === one.hash)',
      to: '.some(({ hash: stored }) => stored !== "")',
    },
    {
      breaks: 'whoever guesses values is slowed down',
      from: 'if (ended.size * 2 < presented.size) await attempt.fail();',
      to: 'if (ended.size > 999) await attempt.fail();',
    },
  ]),
  ...mutantsOf('features/personal-access-tokens/new-token-page.ts', PAGES, [
    {
      breaks: 'a form of another site makes nothing (RFC 6749 §10.12)',
      from: '  if (!hasCsrfToken(req, userId))\n    return renderNew(context, requestContext, offer, { values, isOutOfDate',
      to: "  if (userId === '')\n    return renderNew(context, requestContext, offer, { values, isOutOfDate",
    },
    {
      breaks: 'what can do harm is asked twice',
      from: 'if (read.isHigh && !hasConfirmation(req, userId, riskQuestionOf(values)))',
      to: 'if (read.isHigh && riskQuestionOf(values) === req.url)',
    },
    {
      breaks: 'a token makes no token',
      from: 'return /^(bearer|dpop) /i.test(authorization);',
      to: "return authorization === '';",
    },
  ]),
  ...mutantsOf('features/personal-access-tokens/token-form.ts', PAGES, [
    {
      breaks: 'a form names no scope that was not offered',
      from: 'scopes: scopes.filter((scope) => ticked.includes(scope)),',
      to: 'scopes: ticked,',
    },
  ]),
  ...mutantsOf('features/personal-access-tokens/token-service.ts', PAGES, [
    {
      breaks: 'a token never gets a scope that it does not have',
      from: 'if (left.length === 0 || !isSubset(left, granted))',
      to: 'if (left.length === 0)',
      seenBy: ROUTES,
    },
    {
      breaks: 'nobody has more tokens than there can be',
      from: 'max: options.maxTokens,',
      to: 'max: options.maxTokens * 99,',
    },
  ]),
  ...mutantsOf('features/personal-access-tokens/token-expiry.ts', PAGES, [
    {
      breaks: 'a personal token ends in time',
      from: "return kind === 'personal' && end > addSeconds(now, maxTtl) ? 'late' : end;",
      to: 'return end;',
    },
    {
      breaks: 'only where the option says so a token never ends',
      from: "return mayBeEndless ? NO_EXPIRY : 'never';",
      to: 'return NO_EXPIRY;',
    },
  ]),
];
