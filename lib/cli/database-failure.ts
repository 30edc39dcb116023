import { messageOf, OAuthError } from '../shared/errors.js';
import { CliError, EXIT } from './exit.js';

/** The database's error, or why the command was not sent. */
function findCause(error: unknown): unknown {
  return error instanceof OAuthError ? (error.cause ?? error.detail) : error;
}

/** Removes the user of a URI, which may include a password. */
export function describeFailure(error: unknown): string {
  return messageOf(findCause(error)).replace(/\/\/[^@/\s]*@/g, '//…@');
}

/** Keeps messages of this package. A database error becomes a sentence. */
export function toCliError(error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (error instanceof OAuthError && error.error !== 'temporarily_unavailable')
    return new CliError(error.description);
  if (error instanceof TypeError) return new CliError(error.message);
  const cause = findCause(error);
  const reason = describeFailure(error);
  if (cause instanceof Error && cause.name === 'MongoParseError')
    return new CliError(`the MongoDB URI: ${reason}`, 'Write it as mongodb://127.0.0.1:27017/photos');
  return new CliError(
    `the database: ${reason}`,
    'Is it running, and does the URI name its host, user and password rightly?',
    EXIT.database,
  );
}
