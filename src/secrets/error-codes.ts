/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_KEYSTORE_CORRUPT: {
    meaning: 'A keystore is malformed.',
    action: 'Check `storeType` and the file: `keytool -list -keystore FILE`.',
  },
  GW_KEYSTORE_LIMIT: {
    meaning: 'Reading a keystore would take more time or memory than allowed.',
    action: 'Reduce its iteration count or its entries; usual keystores stay far below the limit.',
  },
  GW_KEYSTORE_PASSWORD: {
    meaning: 'The password of a keystore, or of an entry in it, is wrong.',
    action: 'Check the secret that `storePasswordSecretId` or `entryPasswordSecretId` names; trailing newlines count.',
  },
  GW_KEYSTORE_UNSUPPORTED: {
    meaning: 'A keystore uses an algorithm or a structure that is not supported.',
    action: 'Convert it: `keytool -importkeystore -deststoretype PKCS12`.',
  },
}
