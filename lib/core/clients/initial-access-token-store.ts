import type { PresentedToken } from '../../shared/crypto/secrets.js';

/** A token that lets its holder register clients: only its hash (RFC 7591 §1.2). */
export interface InitialAccessToken {
  readonly id: string;
  readonly hash: string;
  readonly uses: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Where initial access tokens are kept; each operation is atomic. */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessToken): Promise<void>;
  isUsable(token: PresentedToken, now: Date): Promise<boolean>;
  /** Takes one use; false if none was left, however many ask at the same moment. */
  use(token: PresentedToken, now: Date): Promise<boolean>;
  delete(token: PresentedToken): Promise<boolean>;
}
