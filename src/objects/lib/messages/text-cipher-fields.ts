import { secretsProvider } from '#contracts'
import { config, list, oneOf, string, token } from '#schema'
import { isCharset } from './charset.ts'
import { TEXT_CIPHERS } from './text-cipher.ts'

/** Fields of filters that encrypt or decrypt header fields, beside the secret of the key. */
export const TEXT_CIPHER_FIELDS = {
  algorithm: config(oneOf(TEXT_CIPHERS))
    .default('AES/ECB/PKCS5Padding')
    .meta({ description: 'Cipher of the values, by its name in Java.' }),
  keyType: config(oneOf(['AES', 'DES', 'DESede']))
    .optional()
    .meta({ description: 'Cipher of the key; it must be that of `algorithm`.' }),
  secretsProvider: secretsProvider('the key'),
  charset: config(string({ nonEmpty: true }))
    .default('UTF-8')
    .meta({ description: 'Character encoding of the values that are not encrypted.' }),
  headers: list(config(token('a header name')))
    .default([])
    .meta({ description: 'Names of the header fields.' }),
}

/** Reports a charset that does not exist, and a type of keys that is not that of the algorithm. */
export function checkTextCipher(
  { algorithm, keyType, charset }: { algorithm: string; keyType?: string | undefined; charset: string },
  report: (path: string, message: string) => void,
): void {
  if (keyType !== undefined && !algorithm.startsWith(`${keyType}/`))
    report('/keyType', `expected the cipher of algorithm (${algorithm}), got "${keyType}"`)
  if (!isCharset(charset)) report('/charset', `expected a character encoding, got "${charset}"`)
}

/** Warns of a cipher whose keys can be found by trying all of them. */
export function warnOfDes(algorithm: string, warn: (message: string, field?: string) => void, field: string): void {
  if (algorithm.startsWith('DES/')) {
    warn(
      'DES is not secure: its key can be found by trying all of them; use AES here and where the values come from',
      field,
    )
  }
}
