import type { KeyAlgorithm } from '../crypto/key-material.js';

/** A signing key as it is kept. */
export interface KeptSigningKey {
  /** 1, 2, 3… As the id it lets several processes make only one successor of a key. */
  readonly generation: number;
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  /** Set if it is kept beside the usual keys, so that there is one of its algorithm; it has successors of its own. */
  readonly line?: KeyAlgorithm;
  /** The private JWK: a JWE if the host gave a secret to encrypt it with, else JSON. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** When it begins to sign, and is published at once; or when it is published, if it is one to encrypt to. */
  readonly activatesAt: Date;
  /** Set when it has a successor: when the last token signed by it has expired. It is removed then. */
  readonly expiresAt?: Date;
}

/** Where signing keys are kept. */
export interface SigningKeyStore {
  /** All that have not expired, the newest generation first. */
  findLive(now: Date): Promise<KeptSigningKey[]>;
  /** False where another process has made this generation already. */
  insertGeneration(key: KeptSigningKey): Promise<boolean>;
  /** Gives an end to the keys of the same line before this one that have none yet. */
  retireBefore(key: Pick<KeptSigningKey, 'generation' | 'line'>, expiresAt: Date): Promise<void>;
  /** Lets a generation sign from then on. */
  activate(generation: number, activatesAt: Date): Promise<void>;
  remove(generation: number): Promise<void>;
}
