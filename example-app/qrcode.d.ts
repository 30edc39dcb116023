/** The part of the package that the example uses; it has no types of its own. */
declare module 'qrcode' {
  const QRCode: {
    toString(text: string, options: { type: 'terminal' | 'utf8'; small?: boolean }): Promise<string>;
  };
  export default QRCode;
}
