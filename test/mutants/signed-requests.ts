import { type Mutant, mutantsOf } from './mutant.js';

/** Requests that clients sign (RFC 9101), and answers by a form or as JWTs (JARM). */
export const SIGNED_REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    'features/signed-requests/request-object.ts',
    ['rfc/rfc9101/request-objects.test.ts'],
    [
      {
        breaks: 'a request object is of the client that is named beside it (RFC 9101 §6.3)',
        from: 'if (claims.client_id !== client.clientId)',
        to: "if (claims.client_id === '')",
      },
      {
        breaks: 'a request object is for this server (RFC 9101 §4)',
        from: '    audience: issuer,\n',
        to: '',
      },
      {
        breaks: 'a request object ends (RFC 9101 §4)',
        from: "requiredClaims: needsExp ? ['exp'] : [],",
        to: 'requiredClaims: [],',
      },
      {
        breaks:
          'a request object of a FAPI client ends, by reference as well (FAPI 2.0 Message Signing §5.3.1-4)',
        from: 'const needsExp = isFapi || !mayLackExp;',
        to: 'const needsExp = !mayLackExp && !isFapi;',
        seenBy: ['rfc/fapi2-message-signing/message-signing.test.ts', 'rfc/rfc9101/request-objects.test.ts'],
      },
      {
        breaks: 'an assertion of the client is no request (RFC 9101 §10.8)',
        from: 'if (sub === clientId) throw',
        to: "if (sub === '') throw",
      },
      {
        breaks: 'the client says by which algorithm it signs (RFC 8725 §3.1)',
        from: 'if (registered !== undefined && alg !== registered)',
        to: 'if (registered !== undefined && alg === undefined)',
      },
    ],
  ),
  ...mutantsOf(
    'features/signed-requests/fetch-request-object.ts',
    ['rfc/rfc9101/request-uris.test.ts'],
    [
      {
        breaks: 'only what a client has registered is fetched (RFC 9101 §10.4)',
        from: 'if (!isRegistered(requestUri, client))',
        to: "if (requestUri === '')",
      },
      {
        breaks: 'what is fetched is a request object by its media type (RFC 9101 §10.4.1)',
        from: 'if (!mediaTypes.includes(mediaTypeOf(headers)))',
        to: "if (mediaTypes.includes('none'))",
      },
      {
        breaks: 'a fragment holds what is fetched (OpenID Connect Core §6.2)',
        from: 'HASH.test(fragment) &&',
        to: "fragment === '-' &&",
      },
    ],
  ),
  ...mutantsOf(
    'features/signed-requests/referenced.ts',
    ['rfc/rfc9101/request-uris.test.ts'],
    [
      {
        breaks: 'what was fetched is of one client',
        from: 'owner: clientId,',
        to: "owner: '',",
      },
    ],
  ),
  ...mutantsOf(
    'features/signed-requests/progress.ts',
    ['rfc/rfc9101/request-objects.test.ts'],
    [
      {
        breaks: 'no address says by itself since when a request is open',
        from: 'if (!equalText(signed, sign(text, textOf(name), secret)))',
        to: "if (signed === '')",
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/request-parameters.ts',
    ['rfc/rfc9101/request-objects.test.ts'],
    [
      {
        breaks: 'who has to sign its requests asks in no other way (RFC 9101 §10.5)',
        from: 'if (unchecked.isSigned !== true && dependencies.isSigningRequired(client))',
        to: 'if (unchecked === undefined)',
      },
    ],
  ),
  ...mutantsOf(
    'features/response-modes/jwt.ts',
    ['rfc/jarm/signed-responses.test.ts'],
    [
      {
        breaks: 'a token never goes by query.jwt (JARM §2.3.1)',
        from: "const query = signed(queryMode, (defaultMode) => defaultMode === 'query');",
        to: 'const query = signed(queryMode, () => true);',
      },
    ],
  ),
  ...mutantsOf(
    'pages/rendering/form-post-page.ts',
    ['rfc/form-post/form-post.test.ts'],
    [
      {
        breaks: 'the form of an answer leads to the client and nowhere else',
        from: '      isFormForeign: true,\n',
        to: '',
      },
    ],
  ),
];
