import { type Mutant, mutantsOf } from './mutant.js';

const CHAINS = ['features/token-exchange/chains.test.ts'];
const PARTIES = ['features/token-exchange/parties.test.ts'];
const OF_PROGRAMS = ['features/token-exchange/tokens-of-programs.test.ts'];
const RFC = ['rfc/rfc8693/token-exchange.test.ts'];

const TARGETS = ['features/token-exchange/targets.test.ts'];
const FOREIGN = ['features/token-exchange/foreign.test.ts'];

/** Tokens that are exchanged for others. */
export const TOKEN_EXCHANGE: readonly Mutant[] = [
  ...mutantsOf('features/token-exchange/grant-type.ts', RFC, [
    {
      breaks: 'only clients that the host lets exchange may do so (RFC 8693 §5)',
      from: "if (client.type === 'confidential' && client.mayExchange === true) return;",
      to: "if (client.type === 'confidential') return;",
    },
    {
      breaks: 'a token is exchanged by those alone who have it by right (RFC 8693 §4.4)',
      from: 'if (refused !== undefined) throw notAllowed(refused);',
      to: '',
    },
    {
      breaks: 'nor does anybody act who was not named',
      from: 'if (actingId !== client.clientId) parties.push(actingId);',
      to: '',
    },
    {
      breaks: 'the token of a person makes nobody an actor',
      from: 'if (grant.authorization.userId !== undefined)',
      to: "if (grant.grantId === '')",
      seenBy: PARTIES,
    },
    {
      breaks: 'what the registration of a client has lost is lost for its grants, too',
      from: 'return mayAct.filter((clientId) => registered.includes(clientId));',
      to: 'return mayAct.filter((clientId) => registered.length > -1);',
      seenBy: PARTIES,
    },
    {
      breaks: 'a chain is bounded',
      from: 'if (subject.lineage.length > maxDepth)',
      to: 'if (subject.lineage.length > 99)',
      seenBy: CHAINS,
    },
    {
      breaks: 'no exchange widens the scope',
      from: 'if (isEmptied || !isSubset(requested, includable))',
      to: 'if (isEmptied)',
    },
    {
      breaks: 'nor lengthens the life',
      from: 'endsAt: subject.stored.expiresAt,',
      to: '',
      seenBy: PARTIES,
    },
    {
      breaks: 'nor takes a binding off (RFC 9449 §5)',
      from: 'if (proof === undefined)',
      to: 'if (proof === null)',
      seenBy: PARTIES,
    },
    {
      breaks: 'whoever a bound token was issued to shows its key',
      from: 'if (clientId === client.clientId && !matchesBinding(stored, proof))',
      to: 'if (clientId === "" && !matchesBinding(stored, proof))',
      seenBy: PARTIES,
    },
    {
      breaks: 'an exchanged token signs nobody in',
      from: '.filter((name) => !NOT_HANDED_ON.includes(name))',
      to: '',
      seenBy: PARTIES,
    },
    {
      breaks: 'a client gets no more than its own registration has',
      from: 'scopes: stillRegisteredScopes(scopesFor(parameters.scope, subject, settings), client, settings),',
      to: 'scopes: scopesFor(parameters.scope, subject, settings),',
      seenBy: PARTIES,
    },
  ]),
  ...mutantsOf('features/token-exchange/live-token.ts', CHAINS, [
    {
      breaks: 'the token of a program makes no other tokens',
      from: '  checkKind(grant);\n',
      to: '',
      seenBy: OF_PROGRAMS,
    },
  ]),
  ...mutantsOf('features/token-exchange/target.ts', RFC, [
    {
      breaks: 'a delegate gets a token for the same resource alone',
      from: 'isOfGrant || isCalled ? subject.grant.authorization.resources : []',
      to: 'subject.grant.authorization.resources',
    },
    {
      breaks: 'only the server of the resource that was called acts at the targets of the resource',
      from: 'isCalled ? targetsOf(subject, settings) : []',
      to: 'targetsOf(subject, settings)',
      seenBy: TARGETS,
    },
    {
      breaks: 'the server of a resource acts at the targets of that resource alone',
      from: '.filter(([called]) => isSameResource(called, resource ?? issuer))',
      to: '',
      seenBy: TARGETS,
    },
  ]),
  ...mutantsOf('storage/grants/exchange-steps.ts', CHAINS, [
    {
      breaks: 'what came of a revoked token ends with it',
      from: '$pull: { accessTokens: { hash }, exchangedTokens: { lineage: hash } }',
      to: '$pull: { accessTokens: { hash } }',
    },
    {
      breaks: 'each client ends its own tokens alone (RFC 7009 §2.1)',
      from: 'exchangedTokens: { $elemMatch: { hash, clientId } }',
      to: 'exchangedTokens: { $elemMatch: { hash } }',
    },
    {
      breaks: 'of one person, what came through a client ends for that person alone',
      from: '...(userId !== undefined && { userId }),',
      to: '',
    },
    {
      breaks: 'what came through a client ends with it',
      from: '{ $pull: { exchangedTokens: { through: clientId } } }',
      to: '{ $pull: { exchangedTokens: { clientId: "" } } }',
    },
  ]),
  ...mutantsOf('features/token-exchange/exchange-foreign-token.ts', FOREIGN, [
    {
      breaks: 'a token of another server that names who may act is for nobody else (RFC 8693 §4.4)',
      from: 'if (sub === clientId && iss === issuer) return;',
      to: 'return;',
    },
    {
      breaks: 'nor by an id of another server',
      from: 'if (sub === clientId && iss === issuer) return;',
      to: 'if (sub === clientId) return;',
    },
    {
      breaks: 'one that is bound needs a proof of its key',
      from: 'if (!matchesConfirmation(token.cnf, proof))',
      to: 'if (token.clientId === "")',
    },
    {
      breaks: 'one of no person is nobody’s',
      from: 'if (userId === undefined) throw invalidSubjectToken(`${sub} of',
      to: "if (sub === '') throw invalidSubjectToken(`${sub} of",
      lives: 'a grant of undefined is refused elsewhere',
    },
    {
      breaks: 'the new token does not outlive the old one',
      from: 'endsAt: ofToken < latest ? ofToken : latest,',
      to: 'endsAt: latest,',
    },
    {
      breaks: 'nor the time of the entry',
      from: 'endsAt: ofToken < latest ? ofToken : latest,',
      to: 'endsAt: ofToken,',
    },
    {
      breaks: 'scopes are those that the entry allows',
      from: '[entry.scopes, client.scopes, Object.keys(settings.scopes)]',
      to: '[client.scopes, Object.keys(settings.scopes)]',
    },
    {
      breaks: 'and those of the client',
      from: '[entry.scopes, client.scopes, Object.keys(settings.scopes)]',
      to: '[entry.scopes, Object.keys(settings.scopes)]',
    },
    {
      breaks: 'one for an API is good there alone',
      from: 'if (named.every((each) => isSameResource(each, resource))) return [resource];',
      to: 'return named.length > 0 ? named : [resource];',
    },
  ]),
  ...mutantsOf('features/token-exchange/foreign-token.ts', FOREIGN, [
    {
      breaks: 'a token goes to nobody but its issuer',
      from: 'others.length === 0 ? introspecting : undefined',
      to: 'introspecting',
    },
    {
      breaks: 'one that was revoked at its issuer gives nothing',
      from: 'const { auth: current } = await introspect(token, now);',
      to: 'const current = auth;',
    },
    {
      breaks: 'its issuer tells of the same person',
      from: 'if (current.userId !== auth.userId)',
      to: 'if (current.userId === "")',
    },
  ]),
  ...mutantsOf('core/clients/registry/named-clients.ts', PARTIES, [
    {
      breaks: 'mayAct names no client that somebody else could become later',
      from: 'if (unknown.length > 0)',
      to: 'if (unknown.length > 100)',
    },
  ]),
  ...mutantsOf('core/authorization/prior-consent.ts', PARTIES, [
    {
      breaks: 'a person is asked anew if an application may hand on to others than before',
      from: 'client.trusted !== true && !isSubset(client.mayAct ?? [], stored?.mayAct ?? [])',
      to: 'false',
    },
  ]),
];
