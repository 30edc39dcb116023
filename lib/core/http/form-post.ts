import type { Request, Response } from 'express';

/** An answer that goes to a client in a form. */
export interface FormPost {
  readonly address: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly clientName: string;
  /** The languages that the client says the user reads. */
  readonly uiLocales: readonly string[];
}

export type RenderFormPost = (req: Request, res: Response, post: FormPost) => Promise<void>;
