import type { KeyAlgorithm } from '../../shared/crypto/key-material.js';

export interface SigningKeyRecord {
  /** The generation: 1, 2, 3… As the id is unique, several processes can make only one successor of a key. */
  readonly _id: number;
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  /** Set for a key beside the default series, for its algorithm; it has its own successors. */
  readonly line?: KeyAlgorithm;
  /** The private JWK: a JWE if the site has an encryption secret, otherwise JSON. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** When the key begins to sign (it is published at once); for an encryption key, when it is published. */
  readonly activatesAt: Date;
  /** Set when the key has a successor: when the last token that it signed has expired, and the key is removed. */
  readonly expiresAt?: Date;
  /** Access tokens that the key signed before this time are refused. */
  readonly notBefore?: Date;
}

export interface SigningKeyStore {
  /** All keys that have not expired, the newest generation first. */
  findLive(now: Date): Promise<SigningKeyRecord[]>;
  /** False if another process has made this generation already. */
  insertGeneration(key: SigningKeyRecord): Promise<boolean>;
  /** Sets `expiresAt` of all earlier keys of the same line that have none yet. */
  retireBefore(key: SigningKeyRecord, expiresAt: Date): Promise<void>;
  /** Lets a generation sign from `activatesAt` on. */
  activate(generation: number, activatesAt: Date): Promise<void>;
  remove(generation: number): Promise<void>;
  /** Sets `notBefore` of all keys to the database's present time, independent of the clock of this machine. */
  refuseIssued(): Promise<void>;
  /** Calls `notify` when another process has changed or removed a key, if the deployment has change streams. */
  readonly watch: (notify: () => void) => void;
}
