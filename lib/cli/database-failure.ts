import { messageOf, OAuthError } from '../shared/errors.js';
import { CliError, EXIT } from './exit.js';

/** What the database answered, or why it was not asked. */
function causeOf(error: unknown): unknown {
  return error instanceof OAuthError ? (error.cause ?? error.detail) : error;
}

/** Without the URI, which may contain a password. */
export function reasonOf(error: unknown): string {
  return messageOf(causeOf(error)).replace(/\/\/[^@/\s]*@/g, '//…@');
}

/** Our own messages stay. An error of the database becomes a sentence. */
export function toCliError(error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (error instanceof OAuthError && error.error !== 'temporarily_unavailable')
    return new CliError(error.description);
  if (error instanceof TypeError) return new CliError(error.message);
  const cause = causeOf(error);
  const reason = reasonOf(error);
  if (cause instanceof Error && cause.name === 'MongoParseError')
    return new CliError(`the MongoDB URI: ${reason}`, 'Write it as mongodb://127.0.0.1:27017/photos');
  return new CliError(
    `the database: ${reason}`,
    'Is it running, and does the URI name its host, user and password rightly?',
    EXIT.database,
  );
}
