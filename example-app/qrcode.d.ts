/** The functions of the package that the example uses; the package has no types. */
declare module 'qrcode' {
  const QRCode: {
    toString(text: string, options: { type: 'terminal' | 'utf8'; small?: boolean }): Promise<string>;
  };
  export default QRCode;
}
