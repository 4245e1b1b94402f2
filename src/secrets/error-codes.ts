/** Error codes of this folder: docs/reference/errors.md is made from it. */
export const ERROR_CODES = {
  GW_KEYSTORE_CORRUPT: {
    meaning: 'The bytes of a keystore are not of its format.',
    action: 'Check `storeType` and the file: `keytool -list -keystore FILE`.',
  },
  GW_KEYSTORE_LIMIT: {
    meaning: 'A keystore asks for more time or memory than a keystore may have.',
    action: 'Reduce its iteration count or its entries; real ones stay far below the limit.',
  },
  GW_KEYSTORE_PASSWORD: {
    meaning: 'The password does not open a keystore or an entry of it.',
    action: 'Check the secret that `storePasswordSecretId` or `entryPasswordSecretId` names; trailing newlines count.',
  },
  GW_KEYSTORE_UNSUPPORTED: {
    meaning: 'A keystore uses an algorithm or a structure that is not supported.',
    action: 'Convert it: `keytool -importkeystore -deststoretype PKCS12`.',
  },
}
