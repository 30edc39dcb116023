/** A piece of a recorded text. `secret` names a secret piece, which is displayed only on request. */
export interface Piece {
  readonly text: string;
  readonly secret?: string;
}

/** The parameters, members and headers with secret values, and their common names. */
const KINDS: Readonly<Record<string, string>> = {
  access_token: 'access token',
  refresh_token: 'refresh token',
  id_token: 'ID token',
  id_token_hint: 'ID token',
  code: 'authorization code',
  code_verifier: 'code verifier',
  client_secret: 'client secret',
  password: 'password',
  gift_card: 'gift card',
  device_code: 'device code',
  token: 'token',
  basic: 'client id and secret',
};

/** A shorter secret, such as a password of one letter, would match everywhere. */
const MIN_LENGTH = 8;
const MAX_KNOWN = 100;

/** The secrets of a run: each has a name, and is recognized wherever it occurs. */
export interface Secrets {
  /** Whether the value of a parameter, member or header of this name is a secret. */
  isSecret(name: string): boolean;
  /** Assigns a name to a secret (`access token 2`), the same one each time. */
  learn(name: string, value: string): string;
  /** A secret value, by its name. */
  hide(name: string, value: string): Piece;
  /** Splits a text into pieces, with every known secret as a piece. */
  cut(text: string): Piece[];
}

export function createSecrets(): Secrets {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();

  const learn = (name: string, value: string): string => {
    const existing = known.get(value);
    if (existing !== undefined) return existing;
    const kind = KINDS[name] ?? name;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const title = ['client id and secret', 'password', 'client secret'].includes(kind)
      ? kind
      : `${kind} ${count}`;
    known.set(value, title);
    for (const oldest of known.keys()) if (known.size > MAX_KNOWN) known.delete(oldest);
    return title;
  };

  return {
    isSecret: (name) => Object.hasOwn(KINDS, name),
    learn,
    hide: (name, value) => ({ text: value, secret: learn(name, value) }),
    cut(text) {
      let pieces: Piece[] = [{ text }];
      for (const [value, name] of known) {
        if (value.length < MIN_LENGTH) continue;
        pieces = pieces.flatMap((piece) =>
          piece.secret === undefined ? split(piece.text, value, name) : [piece],
        );
      }
      return pieces.filter((piece) => piece.text !== '');
    },
  };
}

function split(text: string, value: string, secret: string): Piece[] {
  const between = text.split(value).map((part): Piece => ({ text: part }));
  return between.flatMap((piece, index) => (index === 0 ? [piece] : [{ text: value, secret }, piece]));
}
