import type { Request, Response } from 'express';

import type { MessageKey } from '../../messages/index.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import type { ReportedError } from '../observability/report.js';

export interface PageError extends ReportedError {
  /**
   * The sender of the failed request: a client, by a link to the authorization endpoint (default), or the user, by a
   * form of this server.
   */
  readonly sender?: 'client' | 'person';
  /** The client to which the error would go: the address of its error response, and its redirect URI. */
  readonly client?: {
    readonly address: string;
    /** The fields of an error response by a form. */
    readonly fields?: Readonly<Record<string, string>>;
    readonly redirectUri: string;
  };
  /** The path of the page on which the user can change the client; undefined if the user is no owner. */
  readonly ownClientPath?: string | undefined;
  /** The languages of the page, as the request names them. */
  readonly uiLocales?: readonly string[] | undefined;
  readonly isBare?: boolean;
}

export type RenderError = (req: Request, res: Response, reported: PageError) => Promise<void>;

/** A refusal that only users see: it names the text of the page in their language. */
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
  /** The user's languages, as the client names them. */
  readonly uiLocales: readonly string[];
}

export type RenderFormPost = (req: Request, res: Response, post: FormPost) => Promise<void>;
