import type { Form } from '../../../shared/protocol/parameters.js';
import { withoutPrompts } from '../prompt.js';
import type { RequestReference, RequestSource } from './request-source.js';

/** A request that is named by its parameters, in the query (RFC 6749 §4.1.1). */
export const querySource = {
  isNamed: () => true,
  read: (name: Form): RequestReference => ({
    parameters: name,
    referenceAfter: (answered, isLoginRequested) => withoutPrompts(name, answered, isLoginRequested),
  }),
} satisfies RequestSource;
