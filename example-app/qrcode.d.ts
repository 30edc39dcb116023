/** What the example uses of the package, which brings no types. */
declare module 'qrcode' {
  const QRCode: {
    toString(text: string, options: { type: 'terminal' | 'utf8'; small?: boolean }): Promise<string>;
  };
  export default QRCode;
}
