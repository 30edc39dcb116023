import { createProofKey, describeProof, proofHeader, prove, thumbprintOf } from '../proofs.js';
import { rfc } from '../references.js';
import {
  codeParameters,
  createAuthorize,
  createRedeem,
  judge,
  needsAccessToken,
  needsCode,
  openToken,
} from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { callApi, requestToken } from './requests.js';

const keyOf = ({ run }: StepContext) => run.values.proofKey ?? '';

/** The DPoP header of a token request. */
const proofForTokens = async ({ server }: StepContext, key: string) => [
  proofHeader(await prove(key, { method: 'POST', url: new URL(server.token_endpoint) })),
];

const ask = createAuthorize({
  remember: () => ({ proofKey: createProofKey() }),
  // RFC 9449 §10: the code then works only with this key
  parametersOf: async (context) => ({ dpop_jkt: await thumbprintOf(keyOf(context)) }),
});

const authorize: Step = {
  ...ask,
  title: 'Make a key, and ask for permission',
  text: 'The playground makes a pair of keys for this try, and keeps the private one. Its request has the fingerprint of the public one (dpop_jkt). Then your browser goes to the photo site as ever.',
};

const stealCode: Step = {
  id: 'steal',
  title: 'Steal everything but the key',
  text: 'A thief has the code, the code verifier and even the playground’s secret: all that was sent in the flow without keys. The key was never sent.',
  button: 'Redeem it with a key of the thief’s',
  isAttack: true,
  waitsFor: needsCode,
  async perform(context) {
    const attack = await requestToken(context, {
      title: 'A thief redeems the code, with a proof by another key',
      parameters: { ...codeParameters(context), code_verifier: context.run.values.codeVerifier ?? '' },
      headers: await proofForTokens(context, createProofKey()),
    });
    return judge(attack);
  },
};

const redeem: Step = {
  ...createRedeem({ headersOf: (context) => proofForTokens(context, keyOf(context)) }),
  text: 'The playground shows the code, its secret and the code verifier, and beside them a proof: a JWT that its key has signed for this one request. The token that comes is bound to that key: its type is DPoP and no longer Bearer.',
};

const use: Step = {
  id: 'use',
  title: 'Call the API with a proof',
  text: 'Each request has a proof of its own: by the same key, for this method and address, a moment ago, and with a fingerprint of the token (ath).',
  button: 'Call GET /api/me',
  waitsFor: needsAccessToken,
  notify: ({ proof }) => (proof === undefined ? undefined : describeProof(proof)),
  async perform(context) {
    const { run } = context;
    const proof = await proveCall(context, keyOf(context));
    const { error } = await callApi(context, 'The playground calls the API', { proof });
    if (error === undefined) run.values = { ...run.values, proof };
  },
};

const useAsBearer: Step = {
  id: 'as-bearer',
  title: 'Show the stolen token alone',
  text: 'The token has got into a log, and somebody finds it there. A Bearer token would be good for whoever has it.',
  button: 'Use it as a Bearer token',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) => judge(await callApi(context, 'The stolen token as Bearer, without a proof')),
};

const useOtherKey: Step = {
  id: 'other-key',
  title: 'Prove another key',
  text: 'So the thief makes a key and a proof of his own. It is a good proof, for another key than the one to which the token is bound.',
  button: 'Use it with a proof by another key',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(
      await callApi(context, 'The stolen token with a proof by another key', {
        proof: await proveCall(context, createProofKey()),
      }),
    ),
};

const replayProof: Step = {
  id: 'replay',
  title: 'Replay the whole request',
  text: 'The thief has recorded a request with its proof, and sends the very same once more. Each proof has a name (jti), and is good once.',
  button: 'Send the same proof again',
  isAttack: true,
  waitsFor: ({ proof }) => (proof === undefined ? 'Call the API first.' : undefined),
  perform: async (context) =>
    judge(
      await callApi(context, 'The same request, with the same proof', {
        proof: context.run.values.proof ?? '',
      }),
    ),
};

const moveProof: Step = {
  id: 'elsewhere',
  title: 'Take a fresh proof to another address',
  text: 'The thief has caught a proof before it was used, and wants your photos by it. It was made for another address (htu).',
  button: 'Use it at /api/photos',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(
      await callApi(context, 'A proof for /api/me, at /api/photos', {
        path: '/api/photos',
        proof: await proveCall(context, keyOf(context)),
      }),
    ),
};

function proveCall({ run, issuer }: StepContext, key: string): Promise<string> {
  const { accessToken = '' } = run.values;
  return prove(key, { method: 'GET', url: new URL('/api/me', issuer), accessToken });
}

export const dpop: Flow = {
  id: 'dpop',
  name: 'DPoP',
  title: 'A token that only its owner can use (DPoP)',
  summary: 'Tokens are bound to a key of the client: a stolen one opens nothing.',
  intro: [
    'A Bearer token is like cash: good for whoever holds it. A token with DPoP is bound to a key that never leaves the client, and each request proves that key anew.',
  ],
  references: [rfc('9449'), rfc('9449 §7'), rfc('9449 §11.1')],
  steps: [authorize, stealCode, redeem, use, openToken, useAsBearer, useOtherKey, replayProof, moveProof],
};
