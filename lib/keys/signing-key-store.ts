import type { SigningAlgorithm } from '../crypto/key-material.js';

/** A signing key as it is kept. */
export interface KeptSigningKey {
  /** 1, 2, 3… As the id it lets several processes make only one successor of a key. */
  readonly generation: number;
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** The private JWK: a JWE if the host gave a secret to encrypt it with, else JSON. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** When it begins to sign; it is published at once. */
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
  /** Gives an end to the generations before this one that have none yet. */
  retireBefore(generation: number, expiresAt: Date): Promise<void>;
  /** Lets a generation sign from then on. */
  activate(generation: number, activatesAt: Date): Promise<void>;
  remove(generation: number): Promise<void>;
}
