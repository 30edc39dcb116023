/** An object that `await using` closes at the end of its block. */
export const disposable = {
  async [Symbol.asyncDispose](this: { close(): Promise<unknown> }): Promise<void> {
    await this.close();
  },
};

export type Disposable = typeof disposable;
