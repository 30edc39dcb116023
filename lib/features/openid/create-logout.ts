import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import { createSids, createSubjects } from '../../core/openid/subjects.js';
import type { Server } from '../../server/server.js';
import type { Settings } from '../../settings/settings.js';
import type { Stores } from '../../storage/stores.js';
import { createEndSignIns } from './end-sessions.js';
import { createLogoutSender } from './logout-sender.js';
import { createLogoutTokens } from './logout-tokens.js';

/** Ends the sign-ins of people through this site, if they can sign in through it at all. */
export function createSignIns(
  settings: Settings,
  { signIns, outbox, clients, grants }: Stores,
  {
    signingKeys,
    clientKeys,
    fetchForStranger,
  }: Pick<Server, 'signingKeys' | 'clientKeys' | 'fetchForStranger'>,
): Pick<Server, 'endSignIns' | 'logoutSender'> {
  const { openid, issuer, clientKeys: limits, onError } = settings;
  if (openid === false) return { endSignIns: undefined, logoutSender: undefined };
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
    limits,
    fetchForStranger,
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
