import { type Mutant, mutantsOf } from './mutant.js';

const WORKLOADS = ['features/assertions/workloads.test.ts'];
const PEOPLE = ['features/assertions/people.test.ts'];
const SPIFFE = ['rfc/draft-ietf-oauth-spiffe-client-auth-02/spiffe-jwt.test.ts'];

/** Assertions of others that are taken as grants. */
export const ASSERTIONS: readonly Mutant[] = [
  ...mutantsOf(
    'core/keys/verify-trusted-jwt.ts',
    [...WORKLOADS, ...SPIFFE],
    [
      {
        breaks: 'an assertion is for this server, and for no other beside it (RFC 7523 §3)',
        from: 'audience === issuer && more.length === 0',
        to: 'audience === issuer',
      },
      {
        breaks: 'nor for another one',
        from: 'audience === issuer && more.length === 0',
        to: 'more.length === 0',
      },
      {
        breaks: 'it does not last for ever',
        from: 'if (found === undefined) return verified;',
        to: 'return verified;',
      },
    ],
  ),
  ...mutantsOf('core/keys/trusted-keys.ts', WORKLOADS, [
    {
      breaks: 'a key set has a bounded number of keys',
      from: "if (!('keys' in parsed)) throw new Error(`${url} did not answer a usable key set: ${parsed.text}`);",
      to: "if (!('keys' in parsed)) return jwks as PublicJwks;",
    },
  ]),
  ...mutantsOf('features/spiffe/spiffe-jwt.ts', SPIFFE, [
    {
      breaks: 'the SPIFFE ID is that of the client (draft 02 §3.1)',
      from: 'matchesSpiffeId(spiffeId, assertion.clientId)',
      to: "assertion.clientId !== ''",
    },
    {
      breaks: 'a client is registered for it by name',
      from: 'requiresExplicitRegistration: true,',
      to: '',
      lives: 'a client of no named method has no SPIFFE ID either',
    },
  ]),
  ...mutantsOf('core/keys/svid-keys.ts', SPIFFE, [
    {
      breaks: 'a key is used for what the bundle says (§6.1.1)',
      from: "key?.use === 'jwt-svid' ?",
      to: 'key !== null ?',
    },
    {
      breaks: 'an algorithm is one of JWT-SVID §2.1',
      from: "!name.startsWith('Ed')",
      to: "name !== ''",
    },
  ]),
  ...mutantsOf('features/spiffe/jwt-svid.ts', SPIFFE, [
    {
      breaks: 'a JWT that says it is something else is no JWT-SVID (§2.3)',
      from: 'return TYPES.includes(typ) ? undefined',
      to: 'return typ !== "x" ? undefined',
    },
    {
      breaks: 'keys are those of the trust domain of the sub (§6)',
      from: 'byTrustDomain.get(id.trustDomain)',
      to: '[...byTrustDomain.values()][0]',
    },
  ]),
  ...mutantsOf('shared/protocol/spiffe-id.ts', SPIFFE, [
    {
      breaks: 'a pattern is of whole segments (§5.1)',
      from: 'presented.startsWith(registered.slice(0, -1))',
      to: 'presented.startsWith(registered.slice(0, -2))',
    },
    {
      breaks: 'a pattern is not a whole trust domain',
      from: 'isTrustDomain(trustDomain) && segments.length > 0 &&',
      to: 'isTrustDomain(trustDomain) &&',
    },
  ]),
  ...mutantsOf('features/assertions/verify-grant.ts', WORKLOADS, [
    {
      breaks: 'it is good once',
      from: 'if (await assertionIds.use(`grant of ${iss}`, String(jti), expiresAt)) return;',
      to: 'return;',
    },
    {
      breaks: 'what is good once has an id',
      from: 'if (!singleUse && jti === undefined) return undefined;',
      to: 'if (jti === undefined) return undefined;',
    },
    {
      breaks: 'a JWT that says it is something else is no grant (RFC 8725 §3.11)',
      from: 'return PLAIN_TYPES.includes(typ) ? undefined',
      to: 'return typ !== "x" ? undefined',
    },
    {
      breaks: 'an ID-JAG says that it is one',
      from: 'return typ === ID_JAG ? undefined',
      to: 'return typ !== "x" ? undefined',
      seenBy: PEOPLE,
    },
    {
      breaks: 'the issuer is the one that is trusted',
      from: '...(!isOfSpiffe && { issuer: entry.issuer }),',
      to: '',
      lives: 'the entry, and with it the keys, are found by the issuer',
    },
    {
      breaks: 'a trust domain speaks for its own programs alone',
      from: "(isOfIssuer(entry, claims) ? undefined : 'sub is of another trust domain')",
      to: 'undefined',
      seenBy: ['features/assertions/platforms.test.ts'],
      lives: 'the entry is found by the trust domain of the sub',
    },
    {
      breaks: 'an ID token is no grant',
      from: 'claims.nonce === undefined && claims.at_hash === undefined ? undefined',
      to: 'claims.nonce !== 0 ? undefined',
      seenBy: PEOPLE,
    },
    {
      breaks: 'people of another tenant are others',
      from: 'return claims.tenant === entry.tenant ? undefined',
      to: 'return claims.tenant !== 0 ? undefined',
      seenBy: PEOPLE,
      lives: 'the entry is found by the tenant',
    },
  ]),
  ...mutantsOf('features/assertions/trust.ts', WORKLOADS, [
    {
      breaks: 'each claim is as it is expected',
      from: 'if (!Object.entries(expected).every(([name, value]) => claims[name] === value)) return false;',
      to: '',
    },
    {
      breaks: 'the subject is one that is meant',
      from: 'if (subject?.some((pattern) => matchesSubject(pattern, sub)) === false) return false;',
      to: '',
    },
    {
      breaks: 'a run that a stranger has started is refused',
      from: 'return isAccepted(entry, claims as AssertionClaims);',
      to: 'return true;',
    },
  ]),
  ...mutantsOf('features/assertions/grant-type.ts', PEOPLE, [
    {
      breaks: 'of two platforms of one name each has its own client',
      from: 'await verifiers.get(entry)!(parsed, now);\n      return entry;',
      to: 'return entry;',
      seenBy: ['features/assertions/platforms.test.ts'],
    },
    {
      breaks: 'an assertion is presented by the client that it names (ID-JAG §4.4.1)',
      from: 'if (claims.client_id !== undefined && claims.client_id !== client.clientId)',
      to: 'if (claims.client_id === 0)',
    },
    {
      breaks: 'a public client presents none',
      from: "if (client.type === 'public')",
      to: "if (client.name === '')",
    },
    {
      breaks: 'a token does not outlive its assertion by much (RFC 7521 §4.1)',
      from: 'endsAt: addSeconds(now, entry.accessTokenTtl)',
      to: '',
      seenBy: WORKLOADS,
    },
  ]),
  ...mutantsOf('core/proof-of-possession/confirmation.ts', PEOPLE, [
    {
      breaks: 'one that is bound to a key is good with a proof of it alone (ID-JAG §8.6.1.2)',
      from: 'binding !== undefined && matchesBinding(binding, proof)',
      to: 'binding !== undefined',
    },
    {
      breaks: 'one that is bound in a way that nobody can check is good for nothing',
      from: 'if (members.length === 0 || !members.every(isUnderstood)) return undefined;',
      to: '',
    },
  ]),
  ...mutantsOf('features/assertions/granted-by.ts', PEOPLE, [
    {
      breaks: 'no request gets more scopes than the assertion has',
      from: 'if (scopes.length > 0 && isSubset(scopes, granted)) return scopes;',
      to: 'if (scopes.length > 0) return scopes;',
    },
    {
      breaks: 'nor another resource',
      from: 'if (granted.length === 0 || !isSubset(requested, granted))',
      to: 'if (granted.length === 0)',
    },
    {
      breaks: 'whom the site does not know gets nothing',
      from: 'if (userId === undefined) throw notTrusted(claims);',
      to: '',
    },
  ]),
  ...mutantsOf('settings/features/assertion-options.ts', WORKLOADS, [
    {
      breaks: 'no entry lets in everybody',
      from: 'const open = subject.find(isOpenToAll);',
      to: 'const open = subject.find((each) => each === "");',
    },
  ]),
  ...mutantsOf(
    'shared/protocol/subject-pattern.ts',
    ['cli/doctor-trust.test.ts'],
    [
      {
        breaks: 'doctor tells of patterns that let in many',
        from: "return rest.length > 1 || SEPARATORS.test(rest.join('')) || fixedPartsOf(pattern) <= FIXED_PARTS;",
        to: 'return false;',
      },
    ],
  ),
];
