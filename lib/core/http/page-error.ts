import type { Request, Response } from 'express';

import type { MessageKey } from '../../messages/index.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import type { ReportedError } from '../observability/report.js';

export interface PageError extends ReportedError {
  /**
   * Who sent the request that failed: a client's link to the authorization endpoint (default), or the user with one
   * of our forms.
   */
  readonly sender?: 'client' | 'person';
  /** The client to which the error would go: where it is, and where its answers go. */
  readonly client?: {
    readonly address: string;
    /** Those of the form in which it would go. */
    readonly fields?: Readonly<Record<string, string>>;
    readonly redirectUri: string;
  };
  /** The path of the page on which the user can change the client; undefined if it is not theirs. */
  readonly ownClientPath?: string | undefined;
  /** Like those of a page. */
  readonly uiLocales?: readonly string[] | undefined;
  readonly isBare?: boolean;
}

export type RenderError = (req: Request, res: Response, reported: PageError) => Promise<void>;

/** A refusal that only users see, on a page: it names the text that they read in their own language. */
export class PageRefusal extends OAuthError {
  readonly text: MessageKey;

  constructor(description: string, { text, ...options }: OAuthErrorOptions & { readonly text: MessageKey }) {
    super('access_denied', description, options);
    this.text = text;
  }
}

export interface FormPost {
  readonly address: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly clientName: string;
  /** The languages that the client says the user reads. */
  readonly uiLocales: readonly string[];
}

export type RenderFormPost = (req: Request, res: Response, post: FormPost) => Promise<void>;
