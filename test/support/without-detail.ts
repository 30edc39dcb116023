/** A public error page: on loopback it also shows the developer the detail (test/server/error-detail.test.ts). */
export function withoutDetail(page: string): string {
  return page.replace(/<dd[^>]*id="error-detail">[^]*?<\/dd>/, '');
}
