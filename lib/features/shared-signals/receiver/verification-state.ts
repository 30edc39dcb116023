import { createSecret, equalText, tagOf } from '../../../shared/crypto/secrets.js';

/** Whose state it is. */
interface StateOwner {
  readonly issuer: string;
  readonly streamId: string;
}

/**
 * The `state` of verifications that this site requests. Each state carries a tag by which every process recognizes it,
 * so that none has to be stored. (Shared Signals Framework §8.1.4)
 */
export interface VerificationStates {
  create(owner: StateOwner): string;
  isValid(state: string, owner: StateOwner): boolean;
}

export function createVerificationStates(serverSecret: string): VerificationStates {
  const tag = (nonce: string, { issuer, streamId }: StateOwner) =>
    tagOf(JSON.stringify(['verification state', issuer, streamId, nonce]), serverSecret);
  return {
    create(owner) {
      const nonce = createSecret();
      return `${nonce}.${tag(nonce, owner)}`;
    },
    isValid(state, owner) {
      const [nonce = '', given = ''] = state.split('.');
      return equalText(given, tag(nonce, owner));
    },
  };
}
