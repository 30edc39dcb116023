import {
  fragmentMode,
  queryMode,
  type ResponseMode,
  withValues,
} from '../../core/authorization/response-modes/response-mode.js';
import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import type { FeatureParts } from '../../server/server.js';
import { formPostMode, takesForms } from './form-post.js';

/** Seconds; JARM §2.1 recommends ten minutes at most, and clients read the response at once. */
const LIFETIME = 300;
/** JARM §2.1: numerical values are JSON numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['expires_in']);

/**
 * The modes that send the parameters of a response, or of an error, as a JWT. The JWT proves its sender and names its
 * client.
 *
 * @see JARM §2
 */
export function createSignedModes({
  settings,
  signingKeys,
  clientKeys,
}: FeatureParts): readonly ResponseMode[] {
  const encryptToClient = createEncryptToClient(clientKeys);
  const algorithmFor = defaultAlgorithms(settings);
  const signed = (carrier: ResponseMode, fits: ResponseMode['fits']): ResponseMode => ({
    responseMode: `${carrier.responseMode}.jwt`,
    isSigned: true,
    fits,
    // any state is possible, because the JWT carries it
    reaches: (redirectUri) => carrier !== formPostMode || takesForms(redirectUri),
    async write(parameters, request) {
      const { client } = request;
      const { authorizationSignedResponseAlg: algorithm } = client;
      const claims = {
        ...Object.fromEntries(
          Object.entries(withValues(parameters)).map(([name, value]) => [
            name,
            NUMBERS.has(name) ? Number(value) : value,
          ]),
        ),
        iss: settings.issuer,
        aud: client.clientId,
        exp: Math.floor(request.now.getTime() / 1000) + LIFETIME,
      };
      const by = algorithm === undefined ? { preferred: algorithmFor(client) } : { required: algorithm };
      // JARM §2.2: signed, then encrypted
      const response = await encryptToClient(await signingKeys.sign('JWT', claims, by), client, {
        alg: client.authorizationEncryptedResponseAlg,
        enc: client.authorizationEncryptedResponseEnc,
      });
      return carrier.write({ response }, request);
    },
  });
  // JARM §2.3.1: query.jwt MUST NOT carry a token
  const query = signed(queryMode, (defaultMode) => defaultMode === 'query');
  const fragment = signed(fragmentMode, () => true);
  return [
    query,
    fragment,
    signed(formPostMode, () => true),
    {
      // JARM §2.3.4
      responseMode: 'jwt',
      isSigned: true,
      fits: () => true,
      write: (parameters, request) =>
        (request.defaultMode === 'query' ? query : fragment).write(parameters, request),
    },
  ];
}
