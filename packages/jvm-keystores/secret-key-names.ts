/** Java's names of algorithms of secret keys in PKCS #12; others are named by their object identifier. */
export const secretKeyNames: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.1', 'AES'],
  ['1.2.840.113549.2.6', 'HmacMD5'],
  ['1.2.840.113549.2.7', 'HmacSHA1'],
  ['1.2.840.113549.2.8', 'HmacSHA224'],
  ['1.2.840.113549.2.9', 'HmacSHA256'],
  ['1.2.840.113549.2.10', 'HmacSHA384'],
  ['1.2.840.113549.2.11', 'HmacSHA512'],
  ['1.2.840.113549.3.2', 'RC2'],
  ['1.2.840.113549.3.4', 'ARCFOUR'],
  ['1.3.14.3.2.7', 'DES'],
  ['1.3.14.3.2.17', 'DESede'],
  ['1.2.840.113549.3.7', 'DESede'],
  ['1.2.840.113549.1.5.3', 'PBEWithMD5AndDES'],
  ['1.2.840.113549.1.5.13', 'PBES2'],
])
