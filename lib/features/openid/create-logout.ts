import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import { clientFetchLimits } from '../../core/clients/untrusted-fetch-limits.js';
import { createSids, createSubjects } from '../../core/openid/subjects.js';
import type { FeatureParts, Logout } from '../../server/feature.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { createEndSignIns } from './end-sessions.js';
import { createLogoutSender } from './logout-sender.js';
import { createLogoutTokens } from './logout-tokens.js';

/** Ends the sign-ins of users through this site, and tells their clients. */
export function createLogout({
  settings,
  models: { signIns, outbox, clients, grants },
  signingKeys,
  clientKeys,
  limitUntrustedFetch,
}: FeatureParts): Logout {
  const { issuer, onError } = settings;
  const openid = switchedOn(settings.openid, 'openid');
  const sidOf = createSids(openid);
  const logoutSender = createLogoutSender({
    outbox,
    findClient: (clientId) => clients.find(clientId),
    sign: createLogoutTokens({
      issuer,
      signingKeys,
      subjectOf: createSubjects(openid),
      sidOf,
      algorithmFor: defaultAlgorithms(settings),
      encrypt: createEncryptToClient(clientKeys),
    }),
    limits: clientFetchLimits(settings),
    limitUntrustedFetch,
    onError,
  });
  return {
    logoutSender,
    endSignIns: createEndSignIns({
      signIns,
      sender: logoutSender,
      endGrants: (of, now) => grants.endSignIn(of, now),
      findClients: (clientIds) => clients.findAll(clientIds),
      sidOf,
    }),
  };
}
