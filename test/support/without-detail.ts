/** An error page as everybody sees it: on loopback it also tells the developer why (test/server/error-detail.test.ts). */
export function withoutDetail(page: string): string {
  return page.replace(/<dd[^>]*id="error-detail">[^]*?<\/dd>/, '');
}
