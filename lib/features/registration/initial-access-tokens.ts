import { option, type OptionsOf, required } from '../../settings/table/option.js';
import { parseOptions } from '../../settings/table/parse-options.js';
import { count, seconds } from '../../settings/table/shapes.js';
import { createGrantId, createToken, parseToken } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import type { Stores } from '../../storage/stores.js';

const initialAccessTokenOptions = {
  /** Seconds that it can be used. */
  expiresIn: required({ shape: () => seconds({ example: 3600 }) }),
  /** How many clients can be registered with it. Default: `1`. */
  uses: option({ shape: () => count({ example: 1 }), default: 1 }),
};

export type InitialAccessTokenOptions = OptionsOf<typeof initialAccessTokenOptions>;

/** Initial access tokens, from code (RFC 7591 §1.2, §3). */
export interface RegistrationRegistry {
  /**
   * Makes a token whose holder can register clients if registration is not open. Only this response has it.
   *
   * @throws TypeError unless expiresIn and uses are whole numbers above 0
   */
  createInitialAccessToken(
    options: InitialAccessTokenOptions,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Ends a token early; false if there was none. Clients that were registered with it stay. */
  revokeInitialAccessToken(token: string): Promise<boolean>;
}

export function createRegistrationRegistry({ initialAccessTokens }: Stores): RegistrationRegistry {
  return {
    async createInitialAccessToken(options) {
      const name = 'registration.createInitialAccessToken';
      const { expiresIn, uses } = parseOptions(name, initialAccessTokenOptions, options);
      const id = createGrantId();
      const { value, hash } = createToken('initialAccessToken', id);
      const createdAt = new Date();
      const expiresAt = addSeconds(createdAt, expiresIn);
      await initialAccessTokens.insert({ _id: id, hash, uses, createdAt, expiresAt });
      return { token: value, expiresAt };
    },
    async revokeInitialAccessToken(token) {
      const presented = parseToken('initialAccessToken', token);
      return presented !== null && (await initialAccessTokens.delete(presented));
    },
  };
}
