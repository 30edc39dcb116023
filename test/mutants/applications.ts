import { mutantsOf } from './mutant.js';

/** What developers do with their applications. */
export const APPLICATIONS = [
  ...mutantsOf(
    'clients/client-secrets.ts',
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
    'pages/applications/application-changes.ts',
    ['pages/application-about.test.ts'],
    [
      {
        breaks: 'nor who describes itself in other words, or gives a page elsewhere',
        from: '(isAnother(client, { ...client, ...metadata }) || saysUnchecked(client, metadata, metadata.redirectUris));',
        to: 'isAnother(client, { ...client, ...metadata });',
      },
    ],
  ),
  ...mutantsOf(
    'pages/applications/application-about.ts',
    ['pages/application-about.test.ts'],
    [
      {
        breaks: 'a page of one’s own host needs no new verification, and one elsewhere does',
        from: "return field === 'description' || !hosts.includes(new URL(value).host);",
        to: "return field === 'description' || hosts.length === 0;",
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
        from: 'const { clientId, ownerId } = await findVisible(clients, req);',
        to: 'const { clientId, ownerId } = (await clients.find(String(req.params.clientId)))!;',
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
];
