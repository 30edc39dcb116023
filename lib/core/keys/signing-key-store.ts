import type { KeyAlgorithm } from '../../shared/crypto/key-material.js';

export interface SigningKeyRecord {
  /** Its generation: 1, 2, 3… As it is the id, several processes can make only one successor of a key. */
  readonly _id: number;
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  /** Set if it is kept beside the usual keys, so that there is one with its algorithm; it has its own successors. */
  readonly line?: KeyAlgorithm;
  /** The private JWK: a JWE if the site gave a secret for encryption, otherwise JSON. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** When it begins to sign (it is published at once); for a key to encrypt to, when it is published. */
  readonly activatesAt: Date;
  /** Set when it has a successor: the time when the last token signed with it has expired, and it is removed. */
  readonly expiresAt?: Date;
  /** Access tokens that were signed with it before are refused. */
  readonly notBefore?: Date;
}

export interface SigningKeyStore {
  /** All that have not expired, the newest generation first. */
  findLive(now: Date): Promise<SigningKeyRecord[]>;
  /** False if another process has made this generation already. */
  insertGeneration(key: SigningKeyRecord): Promise<boolean>;
  /** Sets `expiresAt` of all earlier keys of the same line that have none yet. */
  retireBefore(key: SigningKeyRecord, expiresAt: Date): Promise<void>;
  /** Lets a generation sign from `activatesAt` on. */
  activate(generation: number, activatesAt: Date): Promise<void>;
  remove(generation: number): Promise<void>;
  /** Sets `notBefore` of all keys to the present time of the database, whatever the clock of this machine says. */
  refuseIssued(): Promise<void>;
  /** Starts to call `notify` when another process has changed or removed a key, if the deployment has change streams. */
  readonly watch: (notify: () => void) => void;
}
