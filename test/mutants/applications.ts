import { mutantsOf } from './mutant.js';

/** What developers do with their applications. */
export const APPLICATIONS = [
  ...mutantsOf(
    'core/clients/secrets/client-secrets.ts',
    ['clients/secret-uses.test.ts'],
    [
      {
        breaks: 'of a secret that was made here four characters are kept',
        from: 'const ending = secret.slice(-4);',
        to: 'const ending = secret.slice(-12);',
      },
    ],
  ),
  ...mutantsOf(
    'pages/applications/application-trial.ts',
    ['pages/application-trial.test.ts'],
    [
      {
        breaks: 'the code of a trial is of no use to the running application (RFC 9700 §4.7)',
        from: "    code_challenge: challengeOf(verifier),\n    code_challenge_method: 'S256',\n",
        to: '    no_challenge: challengeOf(verifier),\n',
      },
    ],
  ),
  ...mutantsOf(
    'pages/applications/disconnect-everyone.ts',
    ['pages/application-disconnect.test.ts'],
    [
      {
        breaks: 'everyone is disconnected from what is one’s own, and from nothing else',
        from: 'const client = await findVisible(clients, req);\n    const { clientId } = client;',
        to: 'const client = (await clients.find(String(req.params.clientId)))!;\n    const { clientId } = client;',
      },
    ],
  ),
  ...mutantsOf(
    'pages/applications/application-fields.ts',
    ['pages/application-about.test.ts', 'pages/application-fields.test.ts'],
    [
      {
        breaks: 'a form sets only what is the owner’s (RFC 6749 §2: the host decides whom it trusts)',
        from: 'isOwners && !WITH_OWN_PLACE.has(name)',
        to: '!WITH_OWN_PLACE.has(name)',
      },
    ],
  ),
  ...mutantsOf(
    'pages/consent/describe-client.ts',
    ['pages/application-about.test.ts'],
    [
      {
        breaks: 'what nobody has checked says nothing to the person who decides (RFC 7591 §5)',
        from: 'clientDescription: isVerified ? client.description : undefined,',
        to: 'clientDescription: client.description,',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/status/client-failures.ts',
    ['clients/client-failures.test.ts'],
    [
      {
        breaks: 'of clients that there are not nothing is stored, however many are made up',
        from: 'if (clientId === undefined) return undefined;',
        to: "if (clientId === undefined) clientId = 'nobody';",
      },
      {
        breaks: 'what is counted in memory has an end',
        from: 'if (!later.waiting.has(key) && later.waiting.size >= MAX_CLIENTS) return;',
        to: '',
      },
      {
        breaks: 'the word of an event chooses no field of the database',
        from: "return CLIENT_FAILURES.find((known) => known === reason) ?? 'other';",
        to: "return (reason ?? 'other') as ClientFailure;",
      },
      {
        breaks: 'a refusal that has two events is counted once',
        from: "if (type === 'client.authentication_failed' && WITH_OWN_EVENT.has(endpoint)) return undefined;",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'storage/clients/client-failures.ts',
    ['clients/client-failures.test.ts', 'pages/application-failures.test.ts'],
    [
      {
        breaks: 'the counts of a client are those of no other one',
        from: 'return `${day.toISOString().slice(0, 10)} ${clientId}`;',
        to: 'return `${day.toISOString().slice(0, 10)} ${clientId.slice(0, 0)}`;',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['pages/application-kept.test.ts'],
    [
      {
        breaks:
          'beside redirect URIs that were taken over none is registered that could not be (RFC 9700 §2.1)',
        from: 'const wrong = existingRedirectUris.includes(uri)',
        to: 'const wrong = existingRedirectUris.length > 0',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/registry/update-client.ts',
    ['pages/application-kept.test.ts'],
    [
      {
        breaks: 'what the site no longer has goes from no client without a word',
        from: 'scopes: [...new Set([...limits.scopes, ...scopes])],',
        to: 'scopes: limits.scopes,',
      },
    ],
  ),
  ...mutantsOf(
    'core/http/json-error.ts',
    ['observability/failure-reasons.test.ts'],
    [
      {
        breaks: 'which half of a proof was wrong is not for whoever tries (RFC 6749 §5.2)',
        from: 'sendJson(res, { error: error.error, error_description: error.description });',
        to: 'sendJson(res, { error: error.error, error_description: error.description, reason: error.reason });',
      },
    ],
  ),
];
