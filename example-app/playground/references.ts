/** A link to a specification. */
export interface Reference {
  readonly label: string;
  readonly href: string;
}

/** `rfc('6749 §4.1.3')` */
export function rfc(place: string): Reference {
  const [number = '', section] = place.split(' §');
  return {
    label: `RFC ${place}`,
    href: `https://www.rfc-editor.org/rfc/rfc${number}${section === undefined ? '' : `#section-${section}`}`,
  };
}

interface Explanation {
  readonly text: string;
  readonly reference: Reference;
}

const explain = (text: string, place: string): Explanation => ({ text, reference: rfc(place) });

/** `openid('2', 'IDToken')`: section and anchor of OpenID Connect Core. */
export function openid(section: string, anchor: string): Reference {
  return {
    label: `OpenID Core §${section}`,
    href: `https://openid.net/specs/openid-connect-core-1_0.html#${anchor}`,
  };
}

/** `rpInitiatedLogout('2', 'RPLogout')`: section and anchor of OpenID Connect RP-Initiated Logout. */
export function rpInitiatedLogout(section: string, anchor: string): Reference {
  return {
    label: `RP-Initiated Logout §${section}`,
    href: `https://openid.net/specs/openid-connect-rpinitiated-1_0.html#${anchor}`,
  };
}

const openidCore = (text: string, section: string, anchor: string): Explanation => ({
  text,
  reference: openid(section, anchor),
});

/** Explanations of parameters, response members and headers. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  response_type: explain(
    'What shall come back: “code”, a code that is worth nothing without the client’s proof; “token”, the old way, the token itself.',
    '6749 §3.1.1',
  ),
  client_id: explain('Which client this is. Not a secret; anybody can write it.', '6749 §2.2'),
  redirect_uri: explain(
    'Where the browser shall be sent back to. Must be one that was registered, letter by letter, or codes could be sent to a thief.',
    '9700 §2.1',
  ),
  scope: explain(
    'What the token is good for. In a request what the client would like, in a response what it got: the person may have given less.',
    '6749 §3.3',
  ),
  id_token: openidCore(
    'Who has logged in, when and how: a JWT for the client, to be read and checked, and never shown to an API.',
    '2',
    'IDToken',
  ),
  id_token_hint: {
    text: 'The ID token that the client was given: says which client asks, and about whom. It may have expired.',
    reference: rpInitiatedLogout('2', 'RPLogout'),
  },
  post_logout_redirect_uri: {
    text: 'Where the browser shall be sent after the logout. Must be one that the client has registered.',
    reference: rpInitiatedLogout('3', 'RedirectionAfterLogout'),
  },
  nonce: openidCore(
    'A random value that comes back in the ID token. By it the client knows that the token is of this sign-in.',
    '3.1.2.1',
    'AuthRequest',
  ),
  name: openidCore('What the person is called, for the scope profile.', '5.1', 'StandardClaims'),
  preferred_username: openidCore('How the person wants to be called there.', '5.1', 'StandardClaims'),
  request_uri: explain(
    'Stands for a request that the client has sent ahead. Good for its client, once, and for a short time.',
    '9126 §2.2',
  ),
  authorization_details: explain(
    'What is asked for, or was allowed, in more than a word: each of a type that the server knows, with its fields.',
    '9396 §2',
  ),
  dpop_jkt: explain(
    'The fingerprint of the key to which the code shall be bound: whoever steals the code would need that key.',
    '9449 §10',
  ),
  dpop: explain(
    'The proof: a JWT, signed by the client’s key for this one request, with the public key in it.',
    '9449 §4.1',
  ),
  resource: explain('Which API the token shall be for. Every other one refuses it.', '8707 §2'),
  state: explain(
    'A random value that comes back as it was. By it the client knows that this answer belongs to something it began in this browser, and was not slipped in by another site.',
    '6749 §10.12',
  ),
  code_challenge: explain(
    'The SHA-256 of a secret that the client keeps for the next step. Whoever steals the code on its way does not have the secret.',
    '7636 §4.3',
  ),
  code_challenge_method: explain(
    'How the challenge was made. “plain” would show the secret itself; this server takes S256 only.',
    '7636 §4.3',
  ),
  code: explain(
    'The authorization code: stands for what the person allowed. Short-lived, and good for one use.',
    '6749 §4.1.2',
  ),
  iss: explain(
    'Which server this answer is from, so that a client with several servers cannot be made to bring a code to the wrong one.',
    '9207 §2',
  ),
  grant_type: explain('By what the client wants a token. All else in the request depends on it.', '6749 §4'),
  code_verifier: explain(
    'The secret of which the challenge was the SHA-256. The server computes it again and compares.',
    '7636 §4.5',
  ),
  access_token: explain(
    'The key to the API. Whoever has it can use it, so it travels in the back channel and in a header, never in an address.',
    '6749 §1.4',
  ),
  token_type: explain(
    'How the token is used. “Bearer”: by showing it. “DPoP”: with a proof of the key.',
    '6750 §4',
  ),
  expires_in: explain(
    'Seconds that the access token lives. Short, since a stolen one cannot be told from the real one.',
    '6749 §5.1',
  ),
  refresh_token: explain(
    'Gives new access tokens without the person. Good for one use here: each refresh brings the next one.',
    '6749 §6',
  ),
  username: explain('The person’s name at the photo site, typed into somebody else’s form.', '6749 §4.3.2'),
  password: explain(
    'The person’s password, seen by the client. This is why the grant has been given up.',
    '9700 §2.4',
  ),
  gift_card: explain('A parameter of the site’s own: an extension grant brings what it needs.', '6749 §4.5'),
  token: explain('The token in question.', '7662 §2.1'),
  token_type_hint: explain('Which kind it probably is. Only a help for the search.', '7009 §2.1'),
  active: explain(
    'Whether the token is good at this moment. Where it is not, nothing else is said.',
    '7662 §2.2',
  ),
  sub: explain(
    'The person for whom the token speaks, by the id that the site gave them. Absent where a client acts for itself.',
    '7662 §2.2',
  ),
  exp: explain('When the token ends, in seconds since 1970.', '7662 §2.2'),
  aud: explain('For whom the token is. An API refuses those for others.', '7662 §2.2'),
  error: explain('Why not, as a word for programs.', '6749 §5.2'),
  error_description: explain('Why not, for developers. Tells an attacker nothing that helps.', '6749 §5.2'),
  device_code: explain('What the device asks for its tokens with. The person never sees it.', '8628 §3.2'),
  user_code: explain('What the person types, so it is short.', '8628 §6.1'),
  verification_uri: explain('Where the person types it, on any other device.', '8628 §3.2'),
  verification_uri_complete: explain('The same with the code in it, for a QR code.', '8628 §3.3.1'),
  interval: explain('Seconds that the device waits between two questions.', '8628 §3.5'),
  authorization: explain(
    'Who asks. “Basic”: the client’s id and secret. “Bearer”: the access token. “DPoP”: the same, and a proof beside it.',
    '6749 §2.3.1',
  ),
  'cache-control': explain('A response with tokens must not be kept anywhere on its way.', '6749 §5.1'),
  'www-authenticate': explain('What is missing or wrong with the credentials, for programs.', '6750 §3'),
  'retry-after': explain('Too many tries; when to come back.', '6585 §4'),
};

export function explanationOf(name: string): Explanation | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(EXPLANATIONS, key) ? EXPLANATIONS[key] : undefined;
}
