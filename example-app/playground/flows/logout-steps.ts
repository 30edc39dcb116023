import * as openid from 'openid-client';

import { loggedOutPath, signInClient } from '../clients.js';
import { withOtherSubject } from '../id-token.js';
import { depart } from '../runs.js';
import { judgePage } from './common-steps.js';
import type { Step, StepContext, StepResult } from './flow.js';
import { browse } from './requests.js';

type Named = Readonly<Record<string, string>>;

const needsIdToken = ({ idToken }: Named) =>
  idToken === undefined ? 'There is no ID token yet.' : undefined;

/** The logout link of a client (OpenID Connect RP-Initiated Logout §2). */
function linkOf({ server, run, issuer }: StepContext, parameters: Named): URL {
  const url = new URL(server.end_session_endpoint ?? '');
  url.search = new URLSearchParams({
    id_token_hint: run.values.idToken ?? '',
    post_logout_redirect_uri: issuer + loggedOutPath,
    ...parameters,
  }).toString();
  return url;
}

export const logOut: Step = {
  id: 'log-out',
  title: 'Log out',
  text: 'You log out at the playground. It sends your browser to the photo site with its ID token, which says who asks (id_token_hint), and with the address to which you shall come back, and a new state. The photo site asks you whether you want to be logged out there as well, since anybody could send you to it.',
  button: 'Log out',
  waitsFor: needsIdToken,
  notify: ({ isBack }) =>
    isBack === undefined
      ? undefined
      : 'Your browser is back, with the state that the playground has sent. What you said at the photo site is not told: whoever stays logged in there comes back in the same way.',
  perform(context) {
    const { run, step } = context;
    const logoutState = openid.randomState();
    const { isBack: _before, ...values } = run.values;
    run.values = { ...values, logoutState };
    const url = linkOf(context, { client_id: signInClient.clientId, state: logoutState });
    depart(run, { step, title: 'Your browser goes to the photo site to log out' }, url);
    return Promise.resolve({ redirectTo: url });
  },
};

export const sendElsewhereAfterLogout: Step = {
  id: 'logout-elsewhere',
  title: 'Come out at a thief’s page',
  text: 'A thief gives you a link to the real photo site that logs you out, and has you sent to his page after it. That one looks like the photo site and asks for your password. But it is not among the addresses that the playground has registered.',
  button: 'Log out with a wrong address',
  isAttack: true,
  waitsFor: needsIdToken,
  perform: (context) =>
    refuse(
      context,
      'A link of the thief’s, opened in your browser',
      linkOf(context, { post_logout_redirect_uri: 'https://thief.example/login' }),
    ),
};

export const forgeHint: Step = {
  id: 'logout-forged',
  title: 'Log out with a forged ID token',
  text: 'With an ID token it is a client that asks, so somebody writes one: for the playground, about somebody else. The signature does not fit.',
  button: 'Log out with a changed token',
  isAttack: true,
  waitsFor: needsIdToken,
  perform: (context) =>
    refuse(
      context,
      'A link with a forged ID token, opened in your browser',
      linkOf(context, { id_token_hint: withOtherSubject(context.run.values.idToken ?? '') }),
    ),
};

/** A forged link: it must not redirect or log out. */
async function refuse(context: StepContext, title: string, url: URL): Promise<StepResult> {
  const answer = await browse(context, title, url);
  return judgePage(answer, 'You are sent nowhere, and you are still logged in.');
}
