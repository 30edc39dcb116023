import type { Form } from '../../protocol/parameters.js';
import type { Prompt } from '../prompt.js';

/**
 * One way in which an authorization request is named: by its parameters, or by the id of one that was sent before. The
 * name is what stands in the query of the authorization endpoint, in the way back from the login page, and in the forms
 * of the pages.
 */
export interface RequestSource {
  /** Whether it is in this way that the name names a request. */
  isNamed(name: Form): boolean;
  /**
   * The parameters of the request that is named.
   *
   * @throws OAuthError which is shown to the person
   */
  parametersOf(name: Form): Form | Promise<Form>;
  /** The name of the same request after people have answered some of its prompts. */
  nameAfter(name: Form, answered: readonly Prompt[]): Form;
}
