import { PROFILE_ALGORITHMS, PROFILE_METHODS, PROFILES } from '../../../settings/features/profile-options.js';
import type { ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';

/** Grant types that no client of a profile has: FAPI 2.0 Security Profile §5.3.2.1-2, §5.3.2.2-1. */
const REFUSED_GRANT_TYPES = ['password', 'implicit'];

/** What is wrong with a client that is held to a profile, by its own or by that of the site. */
export function profileProblems(
  client: ClientMetadata,
  limits: Pick<RegistrationLimits, 'profile' | 'lackingFor'>,
): ClientProblem[] {
  const { profile: own } = client;
  if (own !== undefined && !PROFILES.includes(own)) return problemsOf(['There is no such profile.']);
  const profile = own ?? limits.profile;
  if (profile === undefined) return [];
  const lack = own && limits.lackingFor?.(own);
  return problemsOf([
    ...(lack === undefined ? [] : [`No client can be held to ${profile} here: ${lack}.`]),
    ...brokenBy(client).map((problem) => `A client of ${profile} ${problem}.`),
  ]);
}

function brokenBy({
  type,
  tokenEndpointAuthMethod: method = '',
  grantTypes,
  idTokenSignedResponseAlg,
  userinfoSignedResponseAlg,
  authorizationSignedResponseAlg,
}: ClientMetadata): string[] {
  const algorithms = [
    idTokenSignedResponseAlg,
    userinfoSignedResponseAlg,
    authorizationSignedResponseAlg,
  ].filter((name) => name !== undefined && !PROFILE_ALGORITHMS.includes(name));
  const refused = grantTypes.filter((grantType) => REFUSED_GRANT_TYPES.includes(grantType));
  return [
    // FAPI 2.0 Security Profile §5.3.2.1-3
    ...(type === 'public' ? ['is confidential'] : []),
    // FAPI 2.0 Security Profile §5.3.2.1-6
    ...(PROFILE_METHODS.includes(method) ? [] : [`authenticates by one of ${PROFILE_METHODS.join(', ')}`]),
    // FAPI 2.0 Security Profile §5.4.1-1
    ...algorithms.map((name) => `is told nothing that is signed by ${name}`),
    ...refused.map((grantType) => `does not have the grant type ${grantType}`),
  ];
}

function problemsOf(problems: readonly string[]): ClientProblem[] {
  return problems.map((problem) => ({ field: 'profile', problem }));
}
