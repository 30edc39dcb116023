import { type Mutant, mutantsOf } from './mutant.js';

/** Requests that clients sign (RFC 9101), and answers by a form or as JWTs (JARM). */
export const SIGNED_REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    'authorization/request-object.ts',
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
        from: "    requiredClaims: ['exp'],\n",
        to: '',
      },
      {
        breaks: 'the client says by which algorithm it signs (RFC 8725 §3.1)',
        from: 'if (registered !== undefined && alg !== registered)',
        to: 'if (registered !== undefined && alg === undefined)',
      },
    ],
  ),
  ...mutantsOf(
    'authorization/sources/signed.ts',
    ['rfc/rfc9101/request-objects.test.ts'],
    [
      {
        breaks: 'no address says by itself since when a request is open',
        from: 'if (!equalText(signed, sign(text, jwt, secret)))',
        to: "if (signed === '')",
      },
    ],
  ),
  ...mutantsOf(
    'authorization/checks.ts',
    ['rfc/rfc9101/request-objects.test.ts'],
    [
      {
        breaks: 'who has to sign its requests asks in no other way (RFC 9101 §10.5)',
        from: 'if (named.isSigned || !isSigningRequired(client)) return {};',
        to: 'if (named !== undefined) return {};',
      },
    ],
  ),
  ...mutantsOf(
    'authorization/response-modes/signed.ts',
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
    'rendering/form-post-page.ts',
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
