import type { Exchange } from '#http'
import {
  clearText,
  config,
  type DecodedMembers,
  type Environment,
  object,
  renamed,
  type Settled,
  secretId,
} from '#schema'
import { decryptText, textCipherKey } from '../../lib/messages/text-cipher.ts'
import { TEXT_CIPHER_FIELDS } from '../../lib/messages/text-cipher-fields.ts'

const MEMBERS = {
  keySecretId: config(secretId()).meta({
    description: 'Secret ID of the key: the bytes of a key, or a password with their base64.',
  }),
  ...TEXT_CIPHER_FIELDS,
}

type HeaderDecryptionValues = Settled<DecodedMembers<typeof MEMBERS>>

/** The field `headerDecryption`. */
export const HEADER_DECRYPTION_FIELD = object(MEMBERS, {
  older: [renamed('charSet', 'charset'), clearText('key', 'keySecretId', 'header.decryption.key')],
})
  .optional()
  .meta({ description: 'Decrypts header fields of the request, in base64, before the login request is built.' })

/** Decrypts header fields in place. A value that can not be decrypted is removed, so that it is not sent as a password. */
export function headerDecryption(
  { algorithm, keySecretId, secretsProvider: secrets, charset, headers }: HeaderDecryptionValues,
  env: Environment,
): (exchange: Exchange) => Promise<void> {
  const decoder = new TextDecoder(charset)
  return async ({ request }) => {
    const secret = await secrets.active({ secretId: keySecretId, purpose: 'GENERIC' })
    const key = textCipherKey(secret, algorithm)
    if (key === null) throw new Error(`the secret "${keySecretId}" is no key for ${algorithm}: its length is another`)
    for (const name of headers) {
      const values = request.headers.all(name)
      if (values.length === 0) continue
      request.headers.delete(name)
      for (const value of values) {
        const content = decryptText(value, key, algorithm)
        if (content === null) env.logger.debug({ header: name }, 'header value not decrypted: it is removed')
        else request.headers.add(name, decoder.decode(content))
      }
    }
  }
}
